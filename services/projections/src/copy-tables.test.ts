import type { EventStore } from '@gatebook/eventlog/port';
import type { Pool } from '@gatebook/runtime/postgres';
import { type TestDatabase, testDatabase } from '@gatebook/runtime/testing/database';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { recordConsistencyCheck } from './consistency/consistency-checks.ts';
import { copyTables, findCopyable } from './copy-tables.ts';
import { createInterruptions } from './interruptions.ts';
import type { ProjectionGroup } from './projection-group.ts';
import { asShard, createProjectionVersion, listProjectionVersions } from './projection-versions.ts';
import { CheckpointMovedError, projectBatch } from './projector.ts';
import { listQuarantined } from './quarantine/quarantine.ts';
import { runProjector } from './run-projector.ts';
import { applyBatch } from './shard-work.ts';
import { projectionsTemplate } from './testing/projections-template.ts';
import { runUntilEnded } from './testing/run-until-ended.ts';
import {
  cleanPass,
  create,
  createTalliesLog,
  erase,
  liveOf,
  recordPeople,
  rename,
  rowsIn,
  trackedTallies,
  wrongChecksums,
} from './testing/tallies.ts';
import { silentLogger as logger, type TestLog } from './testing/test-log.ts';

let database: TestDatabase;
let pool: Pool;
let log: TestLog;
beforeEach(async () => {
  [database, log] = await Promise.all([testDatabase(projectionsTemplate), createTalliesLog()]);
  ({ pool } = database);
  await recordPeople(log);
});
afterEach(() => database.close());

/** Runs a projector until its group is live at the head with complete checksums. @returns the live schema */
async function projectToHead(group: ProjectionGroup, store: EventStore = log.store): Promise<string> {
  const end = runUntilEnded((signal) => runProjector({ store, pool, group, logger }, signal));
  try {
    const head = await store.head();
    const isAtHead = async () => {
      const live = await liveOf(pool, group.name);
      const isOwn = live?.version === group.version && live.shards.length === group.shards;
      return isOwn && live.position >= head && (await wrongChecksums(pool, live)).length === 0;
    };
    await expect.poll(isAtHead).toBe(true);
  } finally {
    await end();
  }
  return (await liveOf(pool, group.name))?.schema ?? '';
}

/** A store that notes which event types are left out by reads from the start on. */
function watchReads(store: EventStore): { store: EventStore; unread: (readonly string[])[] } {
  const unread: (readonly string[])[] = [];
  const readAll: EventStore['readAll'] = (after, limit, unneeded) => {
    if (after === 0n) unread.push([...(unneeded?.types ?? [])]);
    return store.readAll(after, limit, unneeded);
  };
  return { store: { ...store, readAll }, unread };
}

/** Fails at events that were read without their data. */
const strict = (group: ProjectionGroup): ProjectionGroup => ({
  ...group,
  changesFor: (event) => {
    if (!('personId' in event.data)) throw new Error('the event has no data');
    return group.changesFor(event);
  },
});

/** By whom the people of a schema were written. */
async function writers(schema: string): Promise<(number | undefined)[]> {
  const { rows } = await pool.query<{ by: number }>(
    `select distinct written_by as by from ${schema}.people order by written_by`,
  );
  return rows.map(({ by }) => by);
}

describe.each([1, 3])('with %i shards', (shards) => {
  test('a new version builds the table that changed, and copies the others', async () => {
    await erase(log, 1);
    await projectToHead(trackedTallies(1, {}, shards));
    const watched = watchReads(log.store);
    const next = trackedTallies(2, { totals: 2 }, shards);
    const schema = await projectToHead(strict(next), watched.store);
    expect(watched.unread).toEqual([['PersonRemoved']]);
    expect(await rowsIn(pool, next, schema)).toEqual(await cleanPass(pool, log, next));
    await rename(log, 3, 'after');
    await create(log, 6);
    await projectToHead(next);
    expect(await rowsIn(pool, next, schema)).toEqual(await cleanPass(pool, log, next));
  });

  test('a table that changed is not copied', async () => {
    const before = await projectToHead(trackedTallies(1, {}, shards));
    const next = trackedTallies(2, { people: 2 }, shards);
    const schema = await projectToHead(next);
    expect([await writers(before), await writers(schema)]).toEqual([[1], [2]]);
    expect(await rowsIn(pool, next, schema)).toEqual(await cleanPass(pool, log, next));
  });

  test('all tables are the same after a new version that was built under writes', async () => {
    await projectToHead(trackedTallies(1, {}, shards));
    const next = trackedTallies(2, { notes: 2 }, shards);
    const end = runUntilEnded((signal) => runProjector({ store: log.store, pool, group: next, logger }, signal));
    for (let n = 0; (await liveOf(pool, 'main'))?.version !== 2; n += 1) await rename(log, 1 + (n % 3), `name ${n}`);
    await end();
    const schema = await projectToHead(next);
    expect(await rowsIn(pool, next, schema)).toEqual(await cleanPass(pool, log, next));
  });
});

describe('no table is copied', () => {
  const next = trackedTallies(2, { totals: 2 });

  test('if a consistency check found differences, until they are repaired', async () => {
    const schema = await projectToHead(trackedTallies(1));
    const record = (kind: 'sample' | 'repair', differing: number) =>
      recordConsistencyCheck(pool, {
        ...{ group: 'main', projectionVersion: schema, position: 1n, checkedAt: '2026-01-15T12:00:00.000Z', kind },
        ...{ tookMs: 1, rowsChecked: 1, checksumsOff: [], differing, differences: [] },
      });
    expect(await findCopyable(pool, next)).toEqual(['people', 'notes']);
    await record('sample', 1);
    expect(await findCopyable(pool, next)).toEqual([]);
    await record('repair', 1);
    expect(await findCopyable(pool, next)).toEqual(['people', 'notes']);
  });

  test('if no checksums show that its rows are right, as on older versions of Postgres', async () => {
    await projectToHead(trackedTallies(1));
    await pool.query('update readmodel.checksums set is_complete = false');
    expect(await findCopyable(pool, next)).toEqual([]);
  });

  test('if the number of shards changes', async () => {
    await projectToHead(trackedTallies(1));
    expect(await findCopyable(pool, { ...next, shards: 2 })).toEqual([]);
  });

  test('if its rows do not match their checksum', async () => {
    const before = await projectToHead(trackedTallies(1));
    await pool.query(`update ${before}.people set name = 'Mallory'`);
    const schema = await projectToHead(next);
    expect(await rowsIn(pool, next, schema)).toEqual(await cleanPass(pool, log, next));
  });

  test('if an event cannot be applied to the table that changed', async () => {
    await projectToHead(trackedTallies(1));
    const failing: ProjectionGroup = {
      ...next,
      changesFor: (event) => {
        if (event.position === 7n) throw new Error('not applicable');
        return next.changesFor(event);
      },
    };
    const end = runUntilEnded((signal) => runProjector({ store: log.store, pool, group: failing, logger }, signal));
    await expect.poll(async () => (await liveOf(pool, 'main'))?.version).toBe(2);
    await end();
    const [quarantined] = (await listQuarantined(pool)).filter(({ subscriber }) => subscriber.startsWith('main'));
    expect(quarantined).toMatchObject({ position: 7n });
    // With code that can apply it, the waiting events are applied to all tables.
    const endNext = runUntilEnded((signal) => runProjector({ store: log.store, pool, group: next, logger }, signal));
    await expect.poll(() => listQuarantined(pool)).toEqual([]);
    await endNext();
    const schema = await projectToHead(next);
    expect(await rowsIn(pool, next, schema)).toEqual(await cleanPass(pool, log, next));
  });
});

test('a batch of a process that does not know of the copies yet fails', async () => {
  await projectToHead(trackedTallies(1));
  const next = trackedTallies(2, { totals: 2 });
  const known = await createProjectionVersion(pool, next, { toCopy: ['people', 'notes'] });
  await projectToHead(next);
  const head = await log.store.head();
  await rename(log, 1, 'after');
  const events = await log.store.readAll(head, 1);
  await expect(projectBatch(pool, next, known, head, events)).rejects.toThrow(CheckpointMovedError);
  // Nor is the batch tried again: its events were read for the other tables only.
  const parts = { store: log.store, pool, group: next, logger, interruptions: createInterruptions({ pool, logger }) };
  const late = applyBatch(parts, { ...asShard(known, 0), position: head }, events);
  await expect(late).rejects.toThrow(CheckpointMovedError);
});

test('a process that finds out too late that nothing can be copied does not empty a complete version', async () => {
  await projectToHead(trackedTallies(1));
  const next = trackedTallies(2, { totals: 2 });
  const known = await createProjectionVersion(pool, next, { toCopy: ['people', 'notes'] });
  const schema = await projectToHead(next);
  const rows = await rowsIn(pool, next, schema);
  const quarantine = { revision: 0n, waiting: new Map([['farm', 1n]]) };
  await copyTables({ pool, store: log.store, group: next }, { ...known, quarantine }, new AbortController().signal);
  expect(await rowsIn(pool, next, schema)).toEqual(rows);
});

test('a version that lost its source builds all tables', async () => {
  const next = trackedTallies(2, { totals: 2 });
  // As if the live version had been replaced after the decision to copy.
  await projectToHead(trackedTallies(1, { people: 3 }));
  const { id } = await createProjectionVersion(pool, next, { toCopy: ['people', 'notes'] });
  const schema = await projectToHead(next);
  expect((await listProjectionVersions(pool, 'main')).find((one) => one.id === id)?.schema).toBe(schema);
  expect(await rowsIn(pool, next, schema)).toEqual(await cleanPass(pool, log, next));
});
