import type { ProjectionGroup } from '@gatebook/projections/projection-group';
import { listProjectionVersions, migrateProjections } from '@gatebook/projections/projection-versions';
import { runProjector } from '@gatebook/projections/run-projector';
import { runUntilEnded } from '@gatebook/projections/testing/run-until-ended';
import { silentLogger as logger } from '@gatebook/projections/testing/test-log';
import { compareWithRebuild, isConsistent } from '@gatebook/projections/verify';
import { sampleOf } from '@gatebook/runtime/testing/campaign';
import { type TestDatabase, testDatabase } from '@gatebook/runtime/testing/database';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { mainGroup } from './projection-groups.ts';
import { everyTable } from './testing/every-table.ts';
import { createGatebookLog } from './testing/read-side.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
  await migrateProjections(database.pool);
});
afterAll(() => database.close());

/** The next version of a group, of which one table has changed. */
const withChanged = (group: ProjectionGroup, table: string): ProjectionGroup => ({
  ...group,
  version: group.version + 1,
  tables: group.tables.map((one) => (one.name === table ? { ...one, fingerprint: `changed ${group.version}` } : one)),
});

test('each table of main can be built alone, from the events that its projections name', async () => {
  const { pool } = database;
  const log = await createGatebookLog();
  const steps = [...everyTable];
  const recordSome = async (count: number) => {
    for (const { stream, events } of steps.splice(0, count)) await log.record(stream, ...events);
  };
  const project = async (group: ProjectionGroup) => {
    const end = runUntilEnded((signal) => runProjector({ store: log.store, pool, group, logger }, signal));
    const live = async () => (await listProjectionVersions(pool, 'main')).find(({ status }) => status === 'live');
    const head = await log.store.head();
    await expect.poll(async () => (await live())?.version).toBe(group.version);
    await expect.poll(async () => (await live())?.position).toBe(head);
    const verified = await compareWithRebuild(pool, log.store, group);
    await end();
    expect(verified.tables.filter(({ differing, checksum }) => differing > 0 || checksum !== 'matches')).toEqual([]);
    expect(isConsistent(verified)).toBe(true);
  };
  await recordSome(Math.floor(steps.length / 2));
  let group: ProjectionGroup = mainGroup;
  await project(group);
  const tables = sampleOf(
    mainGroup.tables.map(({ name }) => name),
    4,
  );
  const perVersion = Math.ceil(steps.length / tables.length);
  for (const table of tables) {
    group = withChanged(group, table);
    await recordSome(perVersion);
    await project(group);
  }
  expect(steps).toEqual([]);
});
