import { clearAll } from '@gatebook/projections/clear-tombstones';
import { createIndexes } from '@gatebook/projections/projection-tables';
import {
  createProjectionVersion,
  listProjectionVersions,
  migrateProjections,
  type ProjectionVersion,
} from '@gatebook/projections/projection-versions';
import { CheckpointMovedError, projectBatch } from '@gatebook/projections/projector';
import { dropProjectionVersion } from '@gatebook/projections/promotion';
import { countsTable } from '@gatebook/projections/row-counts';
import { createBreakingPool, SimulatedCrash } from '@gatebook/projections/testing/breaking-pool';
import type { TestLog } from '@gatebook/projections/testing/test-log';
import type { Pool } from '@gatebook/runtime/postgres';
import { sized } from '@gatebook/runtime/testing/campaign';
import { type TestDatabase, testDatabase } from '@gatebook/runtime/testing/database';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { mainGroup } from './projection-groups.ts';
import { histories } from './testing/histories.ts';
import { createGatebookLog } from './testing/read-side.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
  await migrateProjections(database.pool);
});
afterAll(() => database.close());

const runs = { numRuns: sized({ inTest: 4, inCampaign: 24 }), seed: 20260115 };
const batchSizes = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 8 });
type History = Parameters<Parameters<typeof histories.map>[0]>[0];

async function logOf(history: History): Promise<TestLog> {
  const log = await createGatebookLog();
  for (const { stream, events } of history) await log.record(stream, ...events);
  return log;
}

async function checkpointOf({ id }: ProjectionVersion): Promise<bigint> {
  const all = await listProjectionVersions(database.pool, 'main');
  return all.find((projectionVersion) => projectionVersion.id === id)?.position ?? -1n;
}

/** Reads all rows of a projection version that no tombstone hides, ordered by their text. */
async function rowsOf(projectionVersion: ProjectionVersion): Promise<Record<string, string[]>> {
  const { schema } = projectionVersion;
  await clearAll(database.pool, projectionVersion);
  const tables: Record<string, string[]> = {};
  const counts = mainGroup.tables.flatMap((table) => (table.counts ? [countsTable(table.counts)] : []));
  for (const { name } of [...mainGroup.tables, ...counts]) {
    const { rows } = await database.pool.query<{ row: string }>(
      `select t::text as row from ${schema}.${name} t order by 1`,
    );
    tables[name] = rows.map(({ row }) => row);
  }
  return tables;
}

/** Projects from the checkpoint to the end of the log, in batches that cycle through `sizes`. */
async function project(
  pool: Pool,
  { store }: TestLog,
  projectionVersion: ProjectionVersion,
  sizes: readonly number[],
): Promise<void> {
  const head = await store.head();
  for (let turn = 0; ; turn += 1) {
    const from = await checkpointOf(projectionVersion);
    if (from === head) return;
    const events = await store.readAll(from, sizes[turn % sizes.length] ?? 1);
    await projectBatch(pool, mainGroup, projectionVersion, from, events).catch((error: unknown) => {
      if (!(error instanceof CheckpointMovedError) && !(error instanceof SimulatedCrash)) throw error;
    });
  }
}

async function inProjectionVersion<T>(work: (projectionVersion: ProjectionVersion) => Promise<T>): Promise<T> {
  const projectionVersion = await createProjectionVersion(database.pool, mainGroup);
  try {
    return await work(projectionVersion);
  } finally {
    await dropProjectionVersion(database.pool, projectionVersion.id);
  }
}

const cleanPass = (log: TestLog) =>
  inProjectionVersion(async (projectionVersion) => {
    await projectBatch(database.pool, mainGroup, projectionVersion, 0n, await log.store.readAll(0n, 10_000));
    await createIndexes(database.pool, projectionVersion);
    return rowsOf(projectionVersion);
  });

test('any batch sizes give the same rows as one clean pass', async () => {
  await fc.assert(
    fc.asyncProperty(histories, batchSizes, async (history, sizes) => {
      const log = await logOf(history);
      const expected = await cleanPass(log);
      await inProjectionVersion(async (projectionVersion) => {
        await project(database.pool, log, projectionVersion, sizes);
        expect(await rowsOf(projectionVersion)).toEqual(expected);
      });
    }),
    runs,
  );
});

test('crashes after any statement, including the commit, give the same rows', async () => {
  let crashes = 0;
  await fc.assert(
    fc.asyncProperty(histories, batchSizes, fc.integer({ min: 2, max: 9 }), async (history, sizes, every) => {
      const log = await logOf(history);
      const expected = await cleanPass(log);
      await inProjectionVersion(async (projectionVersion) => {
        // The distance grows, so that the longest batch succeeds eventually.
        let next = every;
        let distance = every;
        const breaking = createBreakingPool(database.pool, (statement) => {
          if (statement !== next) return false;
          distance += 2;
          next += distance;
          return true;
        });
        await project(breaking.pool, log, projectionVersion, sizes);
        crashes += breaking.crashes();
        expect(await rowsOf(projectionVersion)).toEqual(expected);
      });
    }),
    runs,
  );
  expect(crashes).toBeGreaterThan(runs.numRuns);
});

test('a crash after each statement of a batch gives the same rows', async () => {
  const [history = []] = fc.sample(histories, { numRuns: 1, seed: 7 });
  const log = await logOf(history);
  const expected = await cleanPass(log);
  for (let last = 1; ; last += 1) {
    const crashed = await inProjectionVersion(async (projectionVersion) => {
      const breaking = createBreakingPool(database.pool, (statement) => statement === last);
      await project(breaking.pool, log, projectionVersion, [10_000]);
      expect(await rowsOf(projectionVersion)).toEqual(expected);
      return breaking.crashes();
    });
    if (crashed === 0) {
      expect(last).toBeGreaterThan(8);
      return;
    }
  }
});

test('two concurrent projectors apply every event once', async () => {
  await fc.assert(
    fc.asyncProperty(histories, batchSizes, batchSizes, async (history, one, other) => {
      const log = await logOf(history);
      const expected = await cleanPass(log);
      await inProjectionVersion(async (projectionVersion) => {
        await Promise.all([
          project(database.pool, log, projectionVersion, one),
          project(database.pool, log, projectionVersion, other),
        ]);
        expect(await rowsOf(projectionVersion)).toEqual(expected);
      });
    }),
    runs,
  );
});
