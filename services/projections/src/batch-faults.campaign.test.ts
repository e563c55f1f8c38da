import { sized } from '@gatebook/runtime/testing/campaign';
import { type TestDatabase, testDatabase } from '@gatebook/runtime/testing/database';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  createProjectionVersion,
  listProjectionVersions,
  migrateProjections,
  type ProjectionVersion,
} from './projection-versions.ts';
import { projectBatch } from './projector.ts';
import { createBreakingPool, SimulatedCrash } from './testing/breaking-pool.ts';
import { cleanPass, createTalliesLog, recordPeople, rename, rowsIn, talliesGroup } from './testing/tallies.ts';

const batches = sized({ inTest: 20, inCampaign: 500 });
const batchSize = 3;

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
  await migrateProjections(database.pool);
});
afterAll(() => database.close());

/** The checkpoint that readers wait for, and the position of the newest row that they find, in one snapshot. */
async function read({ id, schema }: ProjectionVersion): Promise<{ position: bigint; newest: bigint; rows: number }> {
  const { rows } = await database.pool.query<{ position: string; newest: string; rows: number }>(
    `select position, (select coalesce(max(position), 0) from ${schema}.notes) as newest,
       (select count(*)::int from ${schema}.notes) as rows
     from readmodel.projection_shards where version_id = $1`,
    [id],
  );
  const [row = { position: 0, newest: 0, rows: 0 }] = rows;
  return { position: BigInt(row.position), newest: BigInt(row.newest), rows: row.rows };
}

test('a batch that is interrupted after each of its statements in turn is applied once, and readers never see a part', async () => {
  const group = talliesGroup('interrupted');
  const log = await createTalliesLog();
  await recordPeople(log);
  while ((await log.store.head()) < BigInt(batches * batchSize)) {
    await rename(log, 1 + (Number(await log.store.head()) % 5), `name ${await log.store.head()}`);
  }
  const { id } = await createProjectionVersion(database.pool, group);
  let crashes = 0;
  for (let nth = 0; nth < batches; nth += 1) {
    for (let fatal = 1; ; fatal += 1) {
      const [version] = (await listProjectionVersions(database.pool, group.name)).filter((one) => one.id === id);
      if (!version) throw new Error('the projection version is missing');
      const events = await log.store.readAll(version.position, batchSize);
      const breaking = createBreakingPool(database.pool, (statement) => statement === fatal);
      await projectBatch(breaking.pool, group, version, version.position, events).catch((error: unknown) => {
        if (!(error instanceof SimulatedCrash)) throw error;
      });
      crashes += breaking.crashes();
      const seen = await read(version);
      expect([seen.newest, BigInt(seen.rows)]).toEqual([seen.position, seen.position]);
      if (seen.position > version.position) break;
    }
  }
  expect(crashes).toBeGreaterThan(batches * 3);
  const [version] = await listProjectionVersions(database.pool, group.name);
  expect(await rowsIn(database.pool, group, version?.schema ?? '')).toEqual(await cleanPass(database.pool, log, group));
});
