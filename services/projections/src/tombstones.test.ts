import type { Recorded } from '@gatebook/domain/event';
import { type TestDatabase, testDatabase } from '@gatebook/runtime/testing/database';
import { pollDeadlineMs } from '@gatebook/runtime/testing/deadlines';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { insert, type Projection, removeAll } from './changes.ts';
import { clearAll, clearSlice } from './clear-tombstones.ts';
import { startChecksums } from './consistency/checksum.ts';
import { repairRows } from './consistency/repair.ts';
import { checkSample } from './consistency/sample.ts';
import { compareWithLive } from './operations/compare.ts';
import { defineProjectionGroup } from './projection-group.ts';
import { createIndexes } from './projection-tables.ts';
import {
  createProjectionVersion,
  markReady,
  migrateProjections,
  type ProjectionVersion,
} from './projection-versions.ts';
import { projectBatch } from './projector.ts';
import { dropProjectionVersion, promoteProjectionVersion } from './promotion.ts';
import { runProjector } from './run-projector.ts';
import {
  create,
  createTalliesLog,
  erase,
  liveOf,
  personId,
  rename,
  type TalliesEvent,
  talliesEvents,
  wrongChecksums,
} from './testing/tallies.ts';
import { silentLogger as logger, type TestLog } from './testing/test-log.ts';
import { visibleRows } from './tombstones.ts';
import { compareWithRebuild, isConsistent } from './verify.ts';

const projection: Projection<TalliesEvent> = {
  PersonAdded: ({ data: { personId: id }, position }) => [insert('entries', { position, person_id: id })],
  PersonRenamed: ({ data: { personId: id }, position }) => [insert('entries', { position, person_id: id })],
  PersonRemoved: ({ data: { personId: id } }) => [removeAll('person_id', id)],
};
/** One row per event of a person; removing the person removes all of them. */
const group = defineProjectionGroup({
  name: 'entries',
  version: 1,
  catalog: talliesEvents,
  removableBy: ['person_id'],
  tables: [
    {
      name: 'entries',
      columns: { position: { type: 'bigint' }, person_id: { type: 'uuid' } },
      key: ['position'],
      indexes: [{ name: 'entries_by_person', on: '(person_id)' }],
    },
  ],
  projections: [projection],
  rowStreams: { entries: { of: ({ person_id: id }) => [`person-${id}`], isPerEvent: true } },
  eventTable: { group: 'entries', table: 'entries' },
});
const [entries] = group.tables;

let database: TestDatabase;
let log: TestLog;
beforeAll(async () => {
  database = await testDatabase();
  await migrateProjections(database.pool);
});
afterAll(() => database.close());
beforeEach(async () => {
  log = await createTalliesLog();
  await database.pool.query('delete from readmodel.projection_versions');
});

async function createLive(): Promise<ProjectionVersion> {
  const { pool } = database;
  const created = await createProjectionVersion(pool, group);
  await createIndexes(pool, created);
  await startChecksums(pool, created);
  await markReady(pool, created);
  await promoteProjectionVersion(pool, created.id);
  return { ...created, tables: group.tables };
}

async function project(target: ProjectionVersion, from: bigint, limit = 10_000): Promise<bigint> {
  const events = await log.store.readAll(from, limit);
  return (await projectBatch(database.pool, group, target, from, events)).position;
}

const count = async (rowsOf: string) =>
  Number((await database.pool.query<{ count: string }>(`select count(*) from ${rowsOf} t`)).rows[0]?.count);
const existing = ({ schema }: ProjectionVersion) => count(`${schema}.entries`);
const visible = ({ schema }: ProjectionVersion) => (entries ? count(visibleRows(schema, entries)) : -1);

/** Person 1 has 21 rows and is removed, person 2 has 2 rows. @returns the live version with rows still to be deleted */
async function removePerson(): Promise<ProjectionVersion> {
  await create(log, 1);
  await create(log, 2);
  for (let n = 0; n < 20; n += 1) await rename(log, 1, `name ${n}`);
  await rename(log, 2, 'other');
  await erase(log, 1);
  const live = await createLive();
  await project(live, 0n);
  return live;
}

test('removing many rows hides them at once and deletes them in slices, with correct checksums all the time', async () => {
  const live = await removePerson();
  expect(await visible(live)).toBe(2);
  for (const rows of [23, 15, 7]) {
    expect(await existing(live)).toBe(rows);
    expect(await wrongChecksums(database.pool, live)).toEqual([]);
    expect(await clearSlice(database.pool, live, 8)).toBe(true);
  }
  expect(await clearSlice(database.pool, live, 8)).toBe(false);
  expect(await existing(live)).toBe(2);
});

test('consistency checks, comparisons and repairs ignore rows that are still to be deleted', async () => {
  const { pool } = database;
  const live = await removePerson();
  const standby = await createProjectionVersion(pool, group, { isStandby: true });
  await project(standby, 0n);
  await markReady(pool, standby);
  await clearAll(pool, standby);
  expect(isConsistent(await compareWithRebuild(pool, log.store, group))).toBe(true);
  expect((await compareWithLive({ pool, store: log.store, group }, standby.id)).isEqual).toBe(true);
  expect(await checkSample(pool, log.store, group)).toMatchObject({
    differences: [],
    checksumsOff: [],
    unconfirmed: 0,
  });
  const keys = ['1', '2', '3'].map((position) => ({ position }));
  expect((await repairRows(pool, log.store, group, 'entries', keys)).repaired).toEqual([]);
  expect(await existing(live)).toBe(23);
});

test('a damaged row beside rows that are still to be deleted is found and repaired', async () => {
  const { pool } = database;
  const live = await removePerson();
  await pool.query(`delete from ${live.schema}.entries where person_id = $1 and position = 2`, [personId(2)]);
  const { tables } = await compareWithRebuild(pool, log.store, group);
  expect(tables).toMatchObject([{ differing: 1, differences: [{ key: { position: '2' }, kind: 'missing' }] }]);
  expect((await repairRows(pool, log.store, group, 'entries', [{ position: '2' }])).repaired).toHaveLength(1);
});

test('a row that arrives after its tombstone was cleared is hidden and deleted too', async () => {
  const live = await removePerson();
  const position = await log.store.head();
  await clearAll(database.pool, live);
  await rename(log, 1, 'late');
  await project(live, position);
  expect([await existing(live), await visible(live)]).toEqual([3, 2]);
  expect(isConsistent(await compareWithRebuild(database.pool, log.store, group))).toBe(true);
  await clearAll(database.pool, live);
  expect(await existing(live)).toBe(2);
});

test('a batch with a late row waits for a slice that is about to clear its tombstone', async () => {
  const live = await removePerson();
  const position = await log.store.head();
  await rename(log, 1, 'late');
  await Promise.all([project(live, position), clearSlice(database.pool, live), clearSlice(database.pool, live)]);
  await clearAll(database.pool, live);
  expect(await existing(live)).toBe(2);
  expect(await wrongChecksums(database.pool, live)).toEqual([]);
});

test('batches and slices of any size, in any order, leave the same rows', async () => {
  const step = fc.record({
    n: fc.integer({ min: 1, max: 3 }),
    kind: fc.constantFrom('rename', 'rename', 'rename', 'erase'),
  });
  const turns = fc.array(fc.record({ events: fc.integer({ min: 1, max: 9 }), slice: fc.nat(5) }), { minLength: 1 });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 30 }), turns, async (steps, order) => {
      log = await createTalliesLog();
      for (const n of [1, 2, 3]) await create(log, n);
      for (const { n, kind } of steps) await (kind === 'erase' ? erase(log, n) : rename(log, n, 'x'));
      const live = await createLive();
      let position = 0n;
      for (let turn = 0; position < (await log.store.head()); turn += 1) {
        const { events, slice } = order[turn % order.length] ?? { events: 1, slice: 1 };
        [position] = await Promise.all([
          project(live, position, events),
          slice > 0 && clearSlice(database.pool, live, slice),
        ]);
      }
      await clearAll(database.pool, live);
      const all = await log.store.readAll(0n, 10_000);
      expect(await existing(live)).toBe(rowsLeft(all));
      expect(await wrongChecksums(database.pool, live)).toEqual([]);
      await database.pool.query('delete from readmodel.projection_versions');
    }),
    { numRuns: 25, seed: 20260115 },
  );
});

function rowsLeft(events: readonly Recorded[]): number {
  const erased = new Set(events.filter(({ type }) => type === 'PersonRemoved').map(({ stream }) => stream));
  return events.filter(({ stream, type }) => type !== 'PersonRemoved' && !erased.has(stream)).length;
}

test('a running projector deletes the rows, and dropping a projection version drops its tombstones', async () => {
  const { pool } = database;
  const live = await removePerson();
  const stop = new AbortController();
  const running = runProjector({ store: log.store, pool, group, logger }, stop.signal);
  await vi.waitUntil(async () => (await existing(live)) === 2, { timeout: pollDeadlineMs });
  stop.abort();
  await running;
  const next = await createProjectionVersion(pool, group);
  await project(next, 0n);
  await markReady(pool, next);
  await promoteProjectionVersion(pool, next.id);
  expect((await liveOf(pool, 'entries'))?.id).toBe(next.id);
  await dropProjectionVersion(pool, live.id);
  const { rows } = await pool.query('select from readmodel.tombstones where schema_name = $1', [live.schema]);
  expect(rows).toEqual([]);
});
