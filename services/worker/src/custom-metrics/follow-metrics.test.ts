import { defaultProjectConfig, defaultProjectSettings, noProjectSecrets } from '@gatebook/domain/project/config';
import { createActivity } from '@gatebook/readmodel/activity/activity';
import { findMetricRuns, listCustomMetrics } from '@gatebook/readmodel/custom-metrics/queries';
import { newId } from '@gatebook/runtime/ids';
import { pollDeadlineMs } from '@gatebook/runtime/testing/deadlines';
import { fixedTime as at } from '@gatebook/runtime/testing/fixed';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { deleteUnusedCounts, followMetrics } from './count-metrics.ts';
import { countPlainly, startMetricsLog } from './testing/metrics-log.ts';

let log: Awaited<ReturnType<typeof startMetricsLog>>;
beforeAll(async () => {
  log = await startMetricsLog();
});
afterAll(() => log.close());

let time = Date.parse('2026-01-05T00:00:00Z');
const next = (): number => {
  time += 60 * 60_000;
  return time;
};
const definition = { displayName: 'Sign-ins', eventTypes: ['user.signed_in'], filter: {}, groupBy: 'method' };
const how = { unit: 'day' as const, count: 'events' as const };

async function createProject(projectId: string): Promise<void> {
  const facts = { subjectId: newId(), displayName: 'Shop', description: '', isProductionMode: false };
  const parts = { config: defaultProjectConfig, secrets: noProjectSecrets, settings: defaultProjectSettings };
  await append(projectId, { type: 'ProjectCreated', data: { projectId, ...facts, ...parts, at } });
}
const append = (projectId: string, event: Parameters<typeof log.record>[2]) =>
  log.record(projectId, `project-${projectId}`, event, next());

async function define(projectId: string): Promise<string> {
  const metricId = newId();
  await append(projectId, { type: 'CustomMetricDefined', data: { projectId, metricId, ...definition, ...how, at } });
  return metricId;
}

/** Sign-ins in a new project, one per hour. */
async function createShop(signIns: number): Promise<string> {
  const projectId = `shop-${newId()}`;
  await createProject(projectId);
  for (let nth = 0; nth < signIns; nth += 1) await log.signIn(projectId, newId(), nth % 3 ? 'otp' : 'password', next());
  return projectId;
}

async function whileFollowing(run: () => Promise<void>): Promise<void> {
  const stopping = new AbortController();
  const ended = followMetrics(log.parts, stopping.signal);
  try {
    await run();
  } finally {
    stopping.abort();
    await ended;
  }
}

const totalOf = async (metricId: string): Promise<number> =>
  (await log.counts(metricId)).reduce((sum, [, value, count]) => sum + (value === null ? count : 0), 0);
const countRows = async (projectId: string): Promise<number> => {
  const tables = ['metric_progress', 'metric_counts', 'metric_users'];
  const text = tables.map((table) => `select project_id from activity.${table}`).join(' union all ');
  const sql = `select count(*)::int as count from (${text}) rows where project_id = $1`;
  return (await log.database.pool.query<{ count: number }>(sql, [projectId])).rows[0]?.count ?? -1;
};
const shown = { timeout: pollDeadlineMs, interval: 20 };

test('a metric counts the past, and then what happens', async () => {
  const projectId = await createShop(130);
  const earlierId = await define(await createShop(1));
  await whileFollowing(async () => {
    // By then, this project is not known.
    await expect.poll(() => totalOf(earlierId), shown).toBe(1);
    const metricId = await define(projectId);
    await expect.poll(() => totalOf(metricId), shown).toBe(130);
    for (let nth = 0; nth < 3; nth += 1) await log.signIn(projectId, newId(), 'passkey', next());
    await expect.poll(() => totalOf(metricId), shown).toBe(133);
    const [metric] = await listCustomMetrics(log.db, { projectId });
    if (!metric) throw new Error('the metric is not listed');
    expect(await log.counts(metricId)).toEqual(countPlainly(metric, await log.readAll(projectId)));
    const runs = await findMetricRuns(log.db, projectId, [metric]);
    expect(runs.get(metricId)).toMatchObject({ isComplete: true, share: 1 });
  });
});

test('a new name leaves the counts, and another unit begins again', async () => {
  const projectId = await createShop(30);
  const metricId = await define(projectId);
  const runOf = async () => {
    const [metric] = await listCustomMetrics(log.db, { projectId });
    return metric && (await findMetricRuns(log.db, projectId, [metric])).get(metricId);
  };
  const change = (given: object, changed: string[]) =>
    append(projectId, {
      type: 'CustomMetricChanged',
      data: { projectId, metricId, ...definition, ...how, ...given, changed, at },
    });
  await whileFollowing(async () => {
    await expect.poll(runOf, shown).toMatchObject({ isComplete: true });
    const before = await runOf();
    await change({ displayName: 'Renamed' }, ['displayName']);
    await log.reached();
    expect(await runOf()).toEqual(before);
    await change({ unit: 'month' }, ['unit']);
    await log.reached();
    await expect.poll(async () => (await runOf())?.isComplete, shown).toBe(true);
    expect((await runOf())?.run).not.toBe(before?.run);
    expect(new Set((await log.counts(metricId)).map(([start]) => start.slice(8, 10)))).toEqual(new Set(['01']));
    expect(await totalOf(metricId)).toBe(30);
  });
});

test('counts of a deleted metric are deleted later, and those of others stay', async () => {
  const projectId = await createShop(5);
  const [metricId, otherId] = [await define(projectId), await define(projectId)];
  await whileFollowing(async () => {
    for (const id of [metricId, otherId]) await expect.poll(() => totalOf(id), shown).toBe(5);
  });
  await append(projectId, { type: 'CustomMetricDeleted', data: { projectId, metricId, at } });
  await log.reached();
  await deleteUnusedCounts(log.parts);
  expect([await totalOf(metricId), await totalOf(otherId)]).toEqual([0, 5]);
  const { rows } = await log.database.pool.query(
    'select distinct metric_id from activity.metric_counts where project_id = $1',
    [projectId],
  );
  expect(rows).toEqual([{ metric_id: otherId }]);
});

test('nothing is left of an erased project', async () => {
  const projectId = await createShop(5);
  const metricId = await define(projectId);
  await whileFollowing(async () => {
    await expect.poll(() => totalOf(metricId), shown).toBe(5);
  });
  expect(await countRows(projectId)).toBeGreaterThan(0);
  const activity = createActivity({ pool: log.pools.api, forgettingPool: log.pools.worker, logger: log.parts.logger });
  await activity.forgetProject(projectId);
  await activity.close();
  expect(await countRows(projectId)).toBe(0);
});

test('a project that awaits its deletion is counted again once it is restored', async () => {
  const projectId = await createShop(5);
  const metricId = await define(projectId);
  await append(projectId, { type: 'ProjectDeletionScheduled', data: { projectId, deleteAt: at, at } });
  await log.reached();
  await whileFollowing(async () => {
    await append(projectId, { type: 'ProjectDeletionCanceled', data: { projectId, at } });
    await expect.poll(() => totalOf(metricId), shown).toBe(5);
  });
});
