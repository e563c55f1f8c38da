import type { Pool } from '@gatebook/runtime/postgres';
import { type TestDatabase, testDatabase } from '@gatebook/runtime/testing/database';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { startChecksums } from './consistency/checksum.ts';
import { createProjectionVersion, listProjectionVersions, type ProjectionVersion } from './projection-versions.ts';
import { CheckpointMovedError, projectBatch } from './projector.ts';
import { listQuarantined } from './quarantine/quarantine.ts';
import { projectionsTemplate } from './testing/projections-template.ts';
import { createTalliesLog, recordPeople, rowsIn, talliesGroup, wrongChecksums } from './testing/tallies.ts';
import type { TestLog } from './testing/test-log.ts';

let database: TestDatabase;
let pool: Pool;
let log: TestLog;
let version: ProjectionVersion;
const group = talliesGroup('main');
beforeEach(async () => {
  [database, log] = await Promise.all([testDatabase(projectionsTemplate), createTalliesLog()]);
  ({ pool } = database);
  await recordPeople(log);
  version = await createProjectionVersion(pool, group);
});
afterEach(() => database.close());

const project = async (from: bigint, limit: number) =>
  projectBatch(pool, group, version, from, await log.store.readAll(from, limit));
const positionNow = async () => (await listProjectionVersions(pool, 'main'))[0]?.position;

test('a batch that another projector has written quarantines no project, even if its rows are rejected now', async () => {
  await project(0n, 10);
  const rows = await rowsIn(pool, group, version.schema);
  await pool.query(`alter table ${version.schema}.notes add check (position > 5) not valid`);
  await expect(project(0n, 3)).rejects.toThrow(CheckpointMovedError);
  expect(await listQuarantined(pool)).toEqual([]);
  expect(await rowsIn(pool, group, version.schema)).toEqual(rows);
});

test('a batch whose checksums cannot be saved is not written', async () => {
  await startChecksums(pool, version);
  await project(0n, 10);
  const rows = await rowsIn(pool, group, version.schema);
  await pool.query('update readmodel.checksums set row_count = 9223372036854775807');
  await expect(project(10n, 10)).rejects.toThrow('bigint out of range');
  expect(await positionNow()).toBe(10n);
  expect(await rowsIn(pool, group, version.schema)).toEqual(rows);
});

test('a batch maintains checksums that were started after its caller looked', async () => {
  await project(0n, 10);
  await startChecksums(pool, version);
  expect((await project(10n, 10)).hasChecksums).toBe(true);
  expect(await wrongChecksums(pool, version)).toEqual([]);
});
