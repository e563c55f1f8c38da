import type { DomainEvent } from '@gatebook/domain/event';
import type { ColumnType, Table } from '@gatebook/projections/changes';
import { clearAll } from '@gatebook/projections/clear-tombstones';
import { startChecksums } from '@gatebook/projections/consistency/checksum';
import { repairRows, repairTable } from '@gatebook/projections/consistency/repair';
import type { RowDifference } from '@gatebook/projections/consistency/rows';
import { checkSample } from '@gatebook/projections/consistency/sample';
import type { ProjectionGroup, RowStreams } from '@gatebook/projections/projection-group';
import { createIndexes } from '@gatebook/projections/projection-tables';
import {
  createProjectionVersion,
  migrateProjections,
  type ProjectionVersion,
} from '@gatebook/projections/projection-versions';
import { projectBatch } from '@gatebook/projections/projector';
import type { TestLog } from '@gatebook/projections/testing/test-log';
import { compareWithRebuild, isConsistent } from '@gatebook/projections/verify';
import type { Pool } from '@gatebook/runtime/postgres';
import { sampleOf, sized } from '@gatebook/runtime/testing/campaign';
import { type TestDatabase, testDatabase } from '@gatebook/runtime/testing/database';
import { fixedTime } from '@gatebook/runtime/testing/fixed';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { allGroups, mainGroup } from '../projection-groups.ts';
import { rowStreams as declaredStreams } from '../row-streams.ts';
import { insertCopiedUser } from '../testing/copied-user.ts';
import { everyTable } from '../testing/every-table.ts';
import { histories } from '../testing/histories.ts';
import { createGatebookLog } from '../testing/read-side.ts';

const rowStreams: Readonly<Record<string, RowStreams>> = declaredStreams;

let database: TestDatabase;
let pool: Pool;
beforeAll(async () => {
  database = await testDatabase();
  pool = database.pool;
  await migrateProjections(pool);
});
afterAll(() => database.close());

const userId = '00000000-0000-4000-8002-000000000001';
/** A sample of every row and every event. */
const everything = { rows: 10_000, pages: 3, events: 10_000 };
const groups = allGroups;

async function logOf(history: readonly { stream: string; events: readonly DomainEvent[] }[]): Promise<TestLog> {
  const log = await createGatebookLog();
  for (const { stream, events } of history) await log.record(stream, ...events);
  return log;
}

/** Replaces the projection versions of both groups with empty live ones. */
async function freshProjectionVersions(): Promise<Map<ProjectionGroup, ProjectionVersion>> {
  const { rows } = await pool.query<{ name: string }>(
    'delete from readmodel.projection_versions returning schema_name as name',
  );
  for (const { name } of rows) await pool.query(`drop schema if exists ${name} cascade`);
  const made = new Map<ProjectionGroup, ProjectionVersion>();
  for (const group of groups) {
    const projectionVersion = await createProjectionVersion(pool, group);
    await pool.query(`update readmodel.projection_versions set status = 'live' where id = $1`, [projectionVersion.id]);
    await createIndexes(pool, projectionVersion);
    await startChecksums(pool, projectionVersion);
    made.set(group, projectionVersion);
  }
  return made;
}

test('every table declares the streams of its rows', () => {
  const tables = groups.flatMap((group) => group.tables.map(({ name }) => name));
  expect(tables.filter((name) => !rowStreams[name])).toEqual([]);
  expect(Object.keys(rowStreams).filter((name) => !tables.includes(name))).toEqual([]);
});

describe('a row can be derived from its streams', () => {
  /** Every how many positions all rows are derived. */
  const step = BigInt(sized({ inTest: 12, inCampaign: 3 }));
  test('at every position of a history of all tables', async () => {
    const log = await logOf(everyTable);
    const projectionVersions = await freshProjectionVersions();
    const filled = new Set<string>();
    for (const event of await log.store.readAll(0n, 10_000)) {
      for (const [group, projectionVersion] of projectionVersions) {
        await projectBatch(pool, group, projectionVersion, event.position - 1n, [event]);
      }
      if (event.position % step !== 0n && event.position !== (await log.store.head())) continue;
      for (const [group, { schema }] of projectionVersions) {
        const result = await checkSample(pool, log.store, group, everything);
        expect(result).toMatchObject({ position: event.position, differences: [], unconfirmed: 0, checksumsOff: [] });
        for (const { name } of group.tables) {
          const { rowCount } = await pool.query(`select 1 from ${schema}.${name} limit 1`);
          if (rowCount === 1) filled.add(name);
          else filled.delete(name);
        }
      }
    }
    expect(groups.flatMap(({ tables }) => tables.map(({ name }) => name)).filter((name) => !filled.has(name))).toEqual(
      [],
    );
  });

  const numRuns = sized({ inTest: 4, inCampaign: 12 });
  test('for any history', async () => {
    let rowsChecked = 0;
    await fc.assert(
      fc.asyncProperty(histories, async (history) => {
        const log = await logOf(history);
        for (const [group, projectionVersion] of await freshProjectionVersions()) {
          await projectBatch(pool, group, projectionVersion, 0n, await log.store.readAll(0n, 10_000));
          const result = await checkSample(pool, log.store, group, everything);
          expect(result).toMatchObject({ differences: [], unconfirmed: 0, checksumsOff: [] });
          rowsChecked += result.rowsChecked;
        }
      }),
      { numRuns, seed: 20260115 },
    );
    expect(rowsChecked).toBeGreaterThan(15 * numRuns);
  });
});

const other: Readonly<Record<ColumnType, (column: string) => string>> = {
  uuid: () => `'00000000-0000-4000-8000-00000000dead'`,
  text: (column) => `${column} || 'x'`,
  boolean: (column) => `not ${column}`,
  integer: (column) => `${column} + 1`,
  bigint: (column) => `${column} + 1000`,
  timestamptz: (column) => `${column} + interval '1 day'`,
  jsonb: () => `'{"damaged": true}'`,
};

describe('damage', () => {
  let log: TestLog;
  let projectionVersions: Map<ProjectionGroup, ProjectionVersion>;
  let isRepaired = false;
  beforeEach(async () => {
    // A test that repairs all that it damages, and has not failed, leaves what it found.
    const isUnchanged = isRepaired;
    isRepaired = false;
    if (isUnchanged) return;
    log = await logOf(everyTable);
    projectionVersions = await freshProjectionVersions();
    for (const [group, projectionVersion] of projectionVersions) {
      await projectBatch(pool, group, projectionVersion, 0n, await log.store.readAll(0n, 10_000));
      await clearAll(pool, projectionVersion);
    }
  });

  async function rename(projectionVersion: ProjectionVersion, displayName: string): Promise<void> {
    const head = await log.store.head();
    await log.record(`user-${userId}`, { type: 'UserRenamed', data: { userId, displayName, at: fixedTime } });
    await projectBatch(pool, mainGroup, projectionVersion, head, await log.store.readAll(head, 10));
  }

  /** Expects sample, checksum and verification to find the damage, and a repair to remove it. */
  async function expectFoundAndRepaired(
    group: ProjectionGroup,
    table: Table,
    expected: Omit<RowDifference, 'table'>,
  ): Promise<void> {
    const difference = { table: table.name, ...expected };
    const sample = await checkSample(pool, log.store, group, everything);
    expect(sample).toMatchObject({ differences: [difference], checksumsOff: [table.name], unconfirmed: 0 });
    const { tables } = await compareWithRebuild(pool, log.store, group, { table: table.name });
    expect(tables.filter(({ differing, checksum }) => differing > 0 || checksum !== 'matches')).toMatchObject([
      { table: table.name, checksum: 'differs', differing: 1, differences: [difference] },
    ]);
    const repair = await repairRows(pool, log.store, group, table.name, [expected.key]);
    expect(repair).toMatchObject({ repaired: [difference], checksum: 'matches' });
    expect(isConsistent(await compareWithRebuild(pool, log.store, group, { table: table.name }))).toBe(true);
  }

  const all = groups.flatMap((group) => group.tables.map((table) => ({ name: table.name, group, table })));

  test.each(sampleOf(all, 8))('to a row of $name is found, reported and repaired', async ({ group, table }) => {
    const schema = projectionVersions.get(group)?.schema;
    const where = (key: Readonly<Record<string, string>>) =>
      table.key.map((column) => `${column}::text = '${key[column]}'`).join(' and ');
    const { rows } = await pool.query<Record<string, string>>(
      `select ${table.key.map((column) => `${column}::text`).join(', ')} from ${schema}.${table.name} order by 1 limit 1`,
    );
    const [key = {}] = rows;

    const unseen = rowStreams[table.name]?.without ?? [];
    const plain = Object.entries(table.columns).filter(
      ([column, { isNullable, generatedAs }]) =>
        !table.key.includes(column) && !unseen.includes(column) && !isNullable && !generatedAs,
    );
    if (plain.length > 0) {
      const changes = plain.map(([column, { type }]) => `${column} = ${other[type](column)}`);
      await pool.query(`update ${schema}.${table.name} set ${changes.join(', ')} where ${where(key)}`);
      const { differences } = await checkSample(pool, log.store, group, everything);
      expect(differences.map((difference) => difference.key)).toEqual([key]);
      const found = differences[0]?.kind === 'surplus' ? [] : plain.map(([column]) => column);
      expect(differences[0]?.columns).toEqual(found);
      await repairRows(pool, log.store, group, table.name, [key]);
      expect(await checkSample(pool, log.store, group, everything)).toMatchObject({
        differences: [],
        checksumsOff: [],
      });
    }

    await pool.query(`delete from ${schema}.${table.name} where ${where(key)}`);
    await expectFoundAndRepaired(group, table, { key, kind: 'missing', columns: [] });
    isRepaired = true;
  });

  test('by an inserted row is found and repaired', async () => {
    const users = mainGroup.tables.find(({ name }) => name === 'users');
    const schema = projectionVersions.get(mainGroup)?.schema;
    const key = { id: '00000000-0000-4000-8000-00000000dead' };
    await pool.query(insertCopiedUser(String(schema), key.id));
    if (!users) throw new Error('there are no users');
    await expectFoundAndRepaired(mainGroup, users, { key, kind: 'surplus', columns: [] });
  });

  test('to a count is found by verification, which reports the column', async () => {
    const schema = projectionVersions.get(mainGroup)?.schema;
    await pool.query(`update ${schema}.projects set user_count = 17 where id = 'internal'`);
    expect(await checkSample(pool, log.store, mainGroup, everything)).toMatchObject({
      differences: [],
      checksumsOff: ['projects'],
    });
    const { tables } = await compareWithRebuild(pool, log.store, mainGroup, { table: 'projects' });
    expect(tables).toMatchObject([{ differences: [{ key: { id: 'internal' }, columns: ['user_count'] }] }]);
    const repair = await repairRows(pool, log.store, mainGroup, 'projects', [{ id: 'internal' }]);
    expect(repair.repaired).toMatchObject([{ kind: 'changed', columns: ['user_count'] }]);
    const { rows } = await pool.query(`select user_count from ${schema}.projects where id = 'internal'`);
    expect(rows).toEqual([{ user_count: 5 }]);
  });

  test('is repaired without losing what the projector wrote just before the checkpoint was locked', async () => {
    const projectionVersion = projectionVersions.get(mainGroup);
    if (!projectionVersion) throw new Error('there is no projection version');
    const users = `${projectionVersion.schema}.users`;
    await pool.query(`update ${users} set is_anonymous = true where id = $1`, [userId]);
    let batches = 0;
    // The repair's first connection locks the checkpoint.
    const connect = async () => {
      batches += 1;
      if (batches === 1) await rename(projectionVersion, 'Ann');
      return pool.connect();
    };
    const late = Object.assign(Object.create(pool) as Pool, { connect, query: pool.query.bind(pool) });
    const repair = await repairRows(late, log.store, mainGroup, 'users', [{ id: userId }]);
    expect(repair).toMatchObject({ position: await log.store.head(), repaired: [{ columns: ['is_anonymous'] }] });
    const { rows } = await pool.query(`select display_name, is_anonymous from ${users} where id = $1`, [userId]);
    expect(rows).toEqual([{ display_name: 'Ann', is_anonymous: false }]);
  });

  test('that later batches overwrote shows in the checksum until the table is repaired', async () => {
    const schema = projectionVersions.get(mainGroup)?.schema;
    const projectionVersion = projectionVersions.get(mainGroup);
    if (!projectionVersion) throw new Error('there is no projection version');
    await pool.query(`update ${schema}.users set display_name = 'Mallory' where id = $1`, [userId]);
    await rename(projectionVersion, 'Ann');
    const later = await compareWithRebuild(pool, log.store, mainGroup, { table: 'users' });
    expect(later.tables).toMatchObject([{ differing: 0, checksum: 'differs' }]);
    expect(await repairRows(pool, log.store, mainGroup, 'users', [{ id: userId }])).toMatchObject({
      repaired: [],
      checksum: 'differs',
    });
    const { rowCount } = await pool.query(`delete from ${schema}.users where id <> $1`, [userId]);
    const repair = await repairTable(pool, log.store, mainGroup, 'users');
    expect(repair.repaired.map(({ kind }) => kind)).toEqual(Array.from({ length: rowCount ?? 0 }, () => 'missing'));
    expect(repair.checksum).toBe('matches');
    expect(isConsistent(await compareWithRebuild(pool, log.store, mainGroup))).toBe(true);
  });
});
