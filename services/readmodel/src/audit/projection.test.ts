import { catalog } from '@gatebook/domain/catalog';
import { createProjectionVersion, migrateProjections } from '@gatebook/projections/projection-versions';
import { projectBatch } from '@gatebook/projections/projector';
import { createTestLog, testMetadata } from '@gatebook/projections/testing/test-log';
import { type TestDatabase, testDatabase } from '@gatebook/runtime/testing/database';
import { fixedTime } from '@gatebook/runtime/testing/fixed';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { auditGroup } from '../projection-groups.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
  await migrateProjections(database.pool);
});
afterAll(() => database.close());

const start = Date.parse('2026-11-01T12:00:00.000Z');
/** When the log committed each event, in seconds after `start`. */
const committed = [
  ['shop', 10],
  ['forum', 60],
  ['shop', 5],
  ['shop', 20],
  ['forum', 30],
  ['forum', 61],
  ['shop', 0],
] as const;

/** The times of all rows, in the order of the log. */
async function timesIn(sizes: readonly number[]): Promise<number[]> {
  const projects = committed.map(([projectId]) => projectId);
  const log = await createTestLog(catalog, 'memory', () => ({ ...testMetadata, projectId: projects.shift() ?? '' }));
  for (const nth of committed.keys()) {
    const userId = `00000000-0000-4000-8000-${String(nth).padStart(12, '0')}`;
    await log.record(`user-${userId}`, { type: 'OtpAuthChanged', data: { userId, isEnabled: true, at: fixedTime } });
  }
  const events = (await log.store.readAll(0n, 100)).map((event, nth) => {
    return { ...event, committedAt: new Date(start + (committed[nth]?.[1] ?? 0) * 1_000).toISOString() };
  });
  const version = await createProjectionVersion(database.pool, auditGroup);
  let { position } = version;
  for (const size of sizes) {
    ({ position } = await projectBatch(database.pool, auditGroup, version, position, events.splice(0, size)));
  }
  const { rows } = await database.pool.query<{ at: Date }>(
    `select at from ${version.schema}.audit_events order by position`,
  );
  await log.close();
  return rows.map(({ at }) => (at.getTime() - start) / 1_000);
}

test.each([[[7]], [[1, 1, 1, 1, 1, 1, 1]], [[2, 3, 2]]])(
  'times that fell within a project are raised, in batches of %j',
  async (sizes) => {
    expect(await timesIn(sizes)).toEqual([10, 60, 10, 20, 60, 61, 20]);
  },
);
