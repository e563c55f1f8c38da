import type { Pool } from '@gatebook/runtime/postgres';
import { sized } from '@gatebook/runtime/testing/campaign';
import { type TestDatabase, testDatabase } from '@gatebook/runtime/testing/database';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createIndexes } from './projection-tables.ts';
import { createProjectionVersion, listProjectionVersions } from './projection-versions.ts';
import { dropOrphans, dropProjectionVersion, promoteProjectionVersion } from './promotion.ts';
import { createFaultyPool } from './testing/faulty-pool.ts';
import { projectionsTemplate } from './testing/projections-template.ts';
import { buildVersion, cleanPass, createTalliesLog, recordPeople, rowsIn, talliesGroup } from './testing/tallies.ts';
import type { TestLog } from './testing/test-log.ts';

let database: TestDatabase;
let pool: Pool;
let log: TestLog;
beforeEach(async () => {
  [database, log] = await Promise.all([testDatabase(projectionsTemplate), createTalliesLog()]);
  ({ pool } = database);
  await recordPeople(log);
});
afterEach(() => database.close());

const group = talliesGroup('main');

const built = (version: number, upTo?: bigint) => buildVersion(pool, log, talliesGroup('main', version), upTo);

const states = async () =>
  (await listProjectionVersions(pool, 'main')).map(({ version, status, position }) => ({ version, status, position }));

/** Expects all tables of every projection version, and no others once orphaned schemas are dropped. */
async function expectWhole(): Promise<void> {
  await dropOrphans(pool);
  const { rows } = await pool.query<{ name: string }>(
    `select schemaname || '.' || tablename as name from pg_tables where schemaname ~ '_g[0-9]+$' order by 1`,
  );
  const projectionVersions = await listProjectionVersions(pool, null);
  const expected = projectionVersions.flatMap(({ schema }) => group.tables.map(({ name }) => `${schema}.${name}`));
  expect(rows.map(({ name }) => name)).toEqual(expected.toSorted());
}

const step = sized({ inTest: 3, inCampaign: 1 });

/**
 * Runs `work` in a process that is killed before each of its statements in turn, then after each of them, and calls
 * `check` after every kill. @returns the number of statements
 */
async function killAtEvery(work: (pool: Pool) => Promise<unknown>, check: (isDone: boolean) => Promise<void>) {
  for (const moment of ['before', 'after'] as const) {
    for (let at = 1; ; at += step) {
      const faulty = createFaultyPool(database.url, { at, moment, kills: 'process' });
      const isDone = await work(faulty.pool).then(
        () => true,
        () => false,
      );
      const { struck, statements } = faulty;
      await faulty.close();
      if (struck.aborted && isDone) throw new Error('the fault was not noticed');
      await check(isDone || (moment === 'after' && statements.at(-1) === 'commit'));
      if (!struck.aborted) {
        if (moment === 'after') return statements.length;
        break;
      }
    }
  }
  return 0;
}

test('a projection version exists whole or not at all after a crash during its creation', async () => {
  let count = 0;
  const statements = await killAtEvery(
    (killed) => createProjectionVersion(killed, group),
    async (isDone) => {
      await expectWhole();
      if (isDone) count += 1;
      expect(await states()).toEqual(
        Array.from({ length: count }, () => ({ version: 1, status: 'building', position: 0n })),
      );
    },
  );
  expect(statements).toBeGreaterThan(8);
});

test('a projection version exists whole or not at all after a crash during its drop', async () => {
  let kept = await built(1);
  const rows = await cleanPass(pool, log, group);
  const statements = await killAtEvery(
    (killed) => dropProjectionVersion(killed, kept.id),
    async (isDone) => {
      await expectWhole();
      const left = await states();
      if (isDone) expect(left).toEqual([]);
      if (left.length === 0) kept = await built(1);
      expect(await rowsIn(pool, group, kept.schema)).toEqual(rows);
    },
  );
  expect(statements).toBeGreaterThan(4);
});

test('a promotion that is killed halfway has happened or not, and the live position is never lower', async () => {
  // Three of them, so that a promotion makes one live, keeps one and drops one.
  const first = await built(1);
  await promoteProjectionVersion(pool, first.id);
  await promoteProjectionVersion(pool, (await built(2)).id);
  let next = await built(3);
  const head = await log.store.head();
  const statesOf = (versions: readonly number[]) =>
    versions.map((version, index) => ({ version, status: ['previous', 'live', 'building'][index], position: head }));
  let versions = [1, 2, 3];
  expect(await states()).toEqual(statesOf(versions));
  const statements = await killAtEvery(
    (killed) => promoteProjectionVersion(killed, next.id),
    async (isDone) => {
      await expectWhole();
      expect(await states()).toEqual(statesOf(isDone ? versions.slice(1) : versions));
      if (!isDone) return;
      versions = [...versions.slice(1), (versions.at(-1) ?? 0) + 1];
      next = await built(versions.at(-1) ?? 0);
    },
  );
  expect(statements).toBeGreaterThan(8);
});

test('a rollback that is killed halfway has happened or not', async () => {
  const ids = [(await built(1)).id, (await built(2)).id];
  for (const id of ids) await promoteProjectionVersion(pool, id);
  let back = ids[0] ?? 0;
  await killAtEvery(
    (killed) => promoteProjectionVersion(killed, back),
    async (isDone) => {
      await expectWhole();
      const live = (await listProjectionVersions(pool, 'main'))
        .filter(({ status }) => status === 'live')
        .map(({ id }) => id);
      expect(live).toEqual(isDone ? [back] : ids.filter((id) => id !== back));
      if (isDone) back = ids.find((id) => id !== back) ?? 0;
    },
  );
});

test('the next projector creates the indexes that a killed projector did not finish', async () => {
  const made = await createProjectionVersion(pool, group);
  const indexes = async () =>
    (
      await pool.query<{ name: string }>('select indexname as name from pg_indexes where schemaname = $1 order by 1', [
        made.schema,
      ])
    ).rows.map(({ name }) => name);
  await killAtEvery(
    (killed) => createIndexes(killed, made),
    async () => undefined,
  );
  expect(await indexes()).toEqual(['notes_by_person', 'notes_pkey', 'people_by_name', 'people_pkey', 'totals_pkey']);
});
