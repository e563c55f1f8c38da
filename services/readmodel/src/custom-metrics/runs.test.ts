import { newId } from '@gatebook/runtime/ids';
import { type TestDatabase, testDatabase } from '@gatebook/runtime/testing/database';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { migrateActivity } from '../activity/activity.ts';
import { afterPosition } from '../events/feed.ts';
import { advanceRun, beginRun, findRun, type MetricRun } from './runs.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
  await migrateActivity(database.pool);
});
afterAll(() => database.close());

const projectId = 'shop';
const key = { start: Date.parse('2026-01-15T00:00:00Z'), isTotal: true, value: '' };
const counted = { counts: [{ ...key, count: 2 }], users: [] };
const ofUser = { counts: [], users: [{ ...key, hash: 'ab' }] };

async function begin(metricId: string, before: MetricRun | null = null): Promise<MetricRun> {
  const run = await beginRun(database.pool, { metricId, projectId, revision: '1', first: 1n, target: 9n }, before);
  if (!run) throw new Error('another run has begun');
  return run;
}
const advance = (run: MetricRun, add: Parameters<typeof advanceRun>[3], position: bigint) =>
  advanceRun(database.pool, run, { projectId, next: afterPosition(position), eventId: null, isComplete: false }, add);
const countsOf = async (metricId: string): Promise<number[]> => {
  const text = 'select count from activity.metric_counts where metric_id = $1 order by run, start';
  return (await database.pool.query<{ count: number }>(text, [metricId])).rows.map(({ count }) => count);
};

test.each([
  ['events', counted, 2],
  ['users', ofUser, 1],
])('%s are added once, by the process that moves the run', async (_, add, count) => {
  const run = await begin(newId());
  expect(await advance(run, add, 5n)).toMatchObject({ place: afterPosition(5n) });
  expect(await advance(run, add, 5n)).toBeNull();
  expect(await countsOf(run.metricId)).toEqual([count]);
});

test('a run that was replaced adds nothing, also from the same place', async () => {
  const metricId = newId();
  const former = await begin(metricId);
  const run = await begin(metricId, former);
  expect(await advance(former, counted, 5n)).toBeNull();
  expect(await countsOf(metricId)).toEqual([]);
  expect(await findRun(database.pool, metricId)).toEqual(run);
});

test('of two processes, one begins a run', async () => {
  const metricId = newId();
  const former = await begin(metricId);
  await begin(metricId, former);
  await expect(begin(metricId, former)).rejects.toThrow('another run');
  await expect(begin(metricId)).rejects.toThrow('another run');
});

test('a user of two pages counts once per interval, and again in the next one', async () => {
  const run = await begin(newId());
  const moved = await advance(run, ofUser, 5n);
  if (!moved) throw new Error('the run has not moved');
  const [user] = ofUser.users;
  const later = { ...key, start: key.start + 86_400_000, hash: 'ab' };
  await advance(moved, { counts: [], users: user ? [user, later] : [] }, 6n);
  expect(await countsOf(run.metricId)).toEqual([1, 1]);
});
