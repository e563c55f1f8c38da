import type { StoredMetric } from '@gatebook/readmodel/custom-metrics/queries';
import { newId } from '@gatebook/runtime/ids';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { countMetric, type MetricParts } from './count-metrics.ts';
import {
  countPlainly,
  createFailingPool,
  createRandom,
  newMetric,
  pick,
  startMetricsLog,
} from './testing/metrics-log.ts';

let log: Awaited<ReturnType<typeof startMetricsLog>>;
const hourMs = 60 * 60_000;
const first = Date.parse('2025-11-20T00:00:00Z');
let time = first;
function later(ms: number): number {
  time += ms;
  return time;
}
const { signal } = new AbortController();

/** 5,000 events of two projects in about two months, without order among types. */
async function fill(count: number): Promise<void> {
  const random = createRandom(7);
  const users: Record<string, string[]> = { shop: [], other: [] };
  const teams: Record<string, string[]> = { shop: [], other: [] };
  for (let nth = 0; nth < count; nth += 1) {
    time += Math.floor(random() * 0.6 * hourMs);
    const projectId = random() < 0.8 ? 'shop' : 'other';
    const [ofProject = [], ofTeams = []] = [users[projectId], teams[projectId]];
    const userId = pick(random, [ofProject[0] ?? '', ...ofProject.slice(1)]);
    const kind = random();
    if (userId === '' || kind < 0.1) {
      const id = newId();
      ofProject.push(id);
      await log.addUser(projectId, id, time);
    } else if (kind < 0.14) {
      const id = newId();
      ofTeams.push(id);
      await log.addTeam(projectId, id, time);
    } else if (kind < 0.2 && ofTeams[0]) {
      await log.addMember(projectId, pick(random, [ofTeams[0], ...ofTeams]), newId(), time);
    } else if (kind < 0.3) await log.renameUser(projectId, userId, time);
    else await log.signIn(projectId, userId, pick(random, ['password', 'otp', 'passkey']), time);
  }
  await log.reached();
}

beforeAll(async () => {
  log = await startMetricsLog();
  await fill(5_000);
}, 120_000);
afterAll(() => log.close());

/** Runs the job until nothing is left, in a new process after each crash. */
async function countAll(metric: StoredMetric, given: Partial<MetricParts> = {}): Promise<void> {
  for (;;) {
    try {
      if (!(await countMetric({ ...log.parts, ...given }, metric, signal))) return;
    } catch (error) {
      if (!(error instanceof Error) || error.message !== 'the process has ended') throw error;
    }
  }
}
const progressOf = async ({ metricId }: StoredMetric) => {
  const text = 'select is_complete, position::text from activity.metric_progress where metric_id = $1';
  return (await log.database.pool.query(text, [metricId])).rows[0];
};

const definitions: [string, Partial<StoredMetric>][] = [
  ['sign-ins by day and method', { groupBy: 'method' }],
  ['users who signed in by hour', { unit: 'hour', count: 'distinct_users' }],
  ['users by week and type', { eventTypes: ['user.*'], unit: 'week', groupBy: 'type', count: 'distinct_users' }],
  ['all of a month by actor', { eventTypes: ['user.*', 'team.*'], unit: 'month', groupBy: 'actor' }],
  ['one method by hour', { unit: 'hour', filter: { method: 'otp', actor: 'user' } }],
  ['members by team and month', { eventTypes: ['team_membership.created'], unit: 'month', groupBy: 'team_id' }],
];

describe('counting', () => {
  test.each(definitions)(
    'of %s is exact, also if the process ends before and after each statement',
    async (_, given) => {
      const metric = newMetric('shop', given);
      const pool = createFailingPool(log.pools.worker);
      await countAll(metric, { pool });
      const events = await log.readAll('shop');
      const expected = countPlainly(metric, events);
      expect(expected.length).toBeGreaterThan(2);
      expect(await log.counts(metric.metricId)).toEqual(expected);
      expect(await progressOf(metric)).toMatchObject({ is_complete: true });
      expect(pool.faults()).toBeGreaterThan(8);
    },
  );

  test('by two processes at once counts each event once', async () => {
    const metric = newMetric('shop', { groupBy: 'method', count: 'distinct_users', unit: 'week' });
    await Promise.all([countAll(metric), countAll(metric), countAll(metric)]);
    await countAll(metric);
    expect(await log.counts(metric.metricId)).toEqual(countPlainly(metric, await log.readAll('shop')));
  });

  test('of one team leaves out the events of others', async () => {
    const created = (await log.readAll('shop')).find(({ type }) => type === 'team_membership.created');
    const filter = { team_id: String(created?.data.team_id) };
    const metric = newMetric('shop', { eventTypes: ['team.*', 'team_membership.*'], filter, groupBy: 'type' });
    await countAll(metric);
    const expected = countPlainly(metric, await log.readAll('shop'));
    expect(expected.length).toBeGreaterThan(2);
    expect(await log.counts(metric.metricId)).toEqual(expected);
  });

  test('goes on with new events, and saves no place for events that do not count', async () => {
    const metric = newMetric('shop', { eventTypes: ['team.created'] });
    await countAll(metric);
    const before = await progressOf(metric);
    await log.addUser('shop', newId(), later(hourMs));
    await log.reached();
    await countAll(metric);
    expect(await progressOf(metric)).toEqual(before);
    await log.addTeam('shop', newId(), later(hourMs));
    await log.reached();
    await countAll(metric);
    expect(await log.counts(metric.metricId)).toEqual(countPlainly(metric, await log.readAll('shop')));
  });
});

describe('a definition that changes in the middle', () => {
  test('begins to count again, and rows of the former count no more', async () => {
    const metric = newMetric('shop', { groupBy: 'method', count: 'distinct_users' });
    expect(await countMetric(log.parts, metric, signal)).toBe(true);
    expect((await log.counts(metric.metricId)).length).toBeGreaterThan(0);
    const after = { ...metric, unit: 'month' as const, count: 'events' as const, revision: '9999' };
    // A process that does not know the change yet runs at the same time.
    await Promise.all([countAll(after), countMetric(log.parts, metric, signal)]);
    await countAll(after);
    expect(await log.counts(metric.metricId)).toEqual(countPlainly(after, await log.readAll('shop')));
    const rows = async (table: string) => {
      const text = `select count(*)::int as count from activity.${table} where metric_id = $1`;
      return (await log.database.pool.query(text, [metric.metricId])).rows[0].count;
    };
    expect(await rows('metric_counts')).toBe((await log.counts(metric.metricId)).length);
    expect(await rows('metric_users')).toBe(0);
  });
});

test('a log that has lost counted events is counted again', async () => {
  const metric = newMetric('shop');
  await countAll(metric);
  const expected = await log.counts(metric.metricId);
  await log.database.pool.query('update activity.metric_counts set count = count + 1 where metric_id = $1', [
    metric.metricId,
  ]);
  await log.database.pool.query(
    'update activity.metric_progress set event_id = gen_random_uuid() where metric_id = $1',
    [metric.metricId],
  );
  await countAll(metric);
  expect(await log.counts(metric.metricId)).toEqual(expected);
});

test('neither the time zone of the connection nor of the process moves intervals', async () => {
  const metric = newMetric('shop', { unit: 'week', groupBy: 'method' });
  const client = await log.pools.worker.connect();
  const zone = process.env.TZ;
  try {
    process.env.TZ = 'Pacific/Auckland';
    await client.query(`set time zone 'America/Caracas'`);
    await countAll(metric, { pool: client as unknown as MetricParts['pool'] });
  } finally {
    if (zone === undefined) delete process.env.TZ;
    else process.env.TZ = zone;
    client.release(true);
  }
  expect(await log.counts(metric.metricId)).toEqual(countPlainly(metric, await log.readAll('shop')));
});

describe('distinct users', () => {
  test('are hashes, and only of intervals that ended less than a day before the latest event', async () => {
    const metric = newMetric('shop', { unit: 'hour', count: 'distinct_users' });
    await countAll(metric);
    const { rows } = await log.database.pool.query<{ start: Date; text: string }>(
      `select start, row_to_json(u)::text as text from activity.metric_users u where metric_id = $1`,
      [metric.metricId],
    );
    const events = await log.readAll('shop');
    const last = events.findLast(({ type }) => type === 'user.signed_in')?.at ?? 0;
    const starts = rows.map(({ start }) => start.getTime());
    expect(Math.max(...starts)).toBe(last - (last % hourMs));
    expect(Math.min(...starts)).toBeGreaterThan(last - 25 * hourMs);
    const users = new Set(events.flatMap(({ data }) => (typeof data.user_id === 'string' ? [data.user_id] : [])));
    for (const { text } of rows) for (const user of users) expect(text).not.toContain(user);
  });

  test('stay counted once when they are erased, whenever the events are counted', async () => {
    const projectId = 'erasing';
    const [userId, otherId] = [newId(), newId()];
    const at = '2026-01-15T12:00:00.000Z';
    const of = { userId, projectId, at };
    time += 40 * 24 * hourMs;
    const start = new Date(time).toISOString().slice(0, 7);
    time = Date.parse(`${start}-10T00:00:00Z`) + 31 * 24 * hourMs;
    const metric = newMetric(projectId, { eventTypes: ['user.*'], unit: 'month', count: 'distinct_users' });
    for (const id of [userId, otherId]) await log.addUser(projectId, id, later(1_000));
    await log.signIn(projectId, userId, 'otp', later(1_000));
    await log.reached();
    await countAll(metric);
    const stream = `user-${userId}`;
    const deleted = { type: 'UserDeleted' as const, data: { ...of, wasScheduled: false, addressRefs: [] } };
    await log.record(projectId, stream, deleted, later(1_000));
    await log.keyring.erase(userId);
    await log.record(projectId, stream, { type: 'UserErased', data: of }, later(1_000));
    await log.reached();
    await countAll(metric);
    const events = await log.readAll(projectId);
    expect(events.map(({ type }) => type)).toContain('user.erased');
    const [counted, ...rest] = await log.counts(metric.metricId);
    expect(rest).toEqual([]);
    expect(counted?.[2]).toBe(2);
    const again = { ...metric, metricId: newId() };
    await countAll(again);
    expect(await log.counts(again.metricId)).toEqual([counted]);
  });
});
