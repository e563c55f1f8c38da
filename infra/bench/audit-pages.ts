import { historyKeys, historyProject, userIdOf } from './history-log.ts';
import type { HistoryWorld, Server } from './history-world.ts';
import { openConnection, toMessage } from './load.ts';
import type { Result } from './report.ts';
import { percentile } from './statistics.ts';

const rounds = 40;
const mostMs = 50;
const unknownId = '11111111-1111-4111-8111-111111111111';
const userId = userIdOf(1);

type Query = Readonly<Record<string, string>>;
/** Each leaves no event, and has another way to find that out. */
const single: Readonly<Record<string, Query>> = {
  type: { type: 'MailingClosed' },
  category: { category: 'team' },
  'actor kind': { actor_kind: 'owner' },
  actor: { actor_id: unknownId },
  'target type': { target_type: 'mailing' },
  'user without events': { target_type: 'user', target_id: unknownId },
  target: { target_id: unknownId },
  action: { action_id: 'unknown' },
  address: { ip: '203.0.113.9' },
  since: { from_millis: String(Date.parse('2099-01-01')) },
  until: { until_millis: String(Date.parse('2020-01-01')) },
  outcome: { outcome: 'rejected' },
};
/** The rows of the first filter are many, and the second matches none of them. */
const pairs: Readonly<Record<string, Query>> = {
  'category and actor kind': { category: 'user', actor_kind: 'owner' },
  'target type and actor kind': { target_type: 'user', actor_kind: 'owner' },
  'type and actor': { type: 'UserRenamed', actor_id: unknownId },
  'type and address': { type: 'UserRenamed', ip: '203.0.113.9' },
  'target type and address': { target_type: 'user', ip: '203.0.113.9' },
  'actor kind and target type': { actor_kind: 'server', target_type: 'session' },
  'actor kind and address': { actor_kind: 'server', ip: '203.0.113.9' },
  'target and type': { target_id: userId, type: 'UserDeleted' },
  'target and actor kind': { target_id: userId, actor_kind: 'owner' },
  'category and time': { category: 'user', from_millis: String(Date.parse('2099-01-01')) },
};

/** The first page of the audit log with filters that match nothing. */
export const benchAuditPages = ({ withServer }: HistoryWorld): Promise<Result[]> =>
  withServer(async (server) => [
    await slowestOf(server, 'single filters', single),
    await slowestOf(server, 'pairs of filters', pairs),
    toResult('without a filter', await timesOf(server, {})),
  ]);

async function slowestOf(server: Server, name: string, queries: Readonly<Record<string, Query>>): Promise<Result> {
  const measured: { filter: string; times: number[] }[] = [];
  for (const [filter, query] of Object.entries(queries)) {
    measured.push({ filter, times: await timesOf(server, query) });
  }
  const p95 = ({ times }: { times: number[] }) => percentile(times, 0.95);
  const slowest = measured.reduce((one, other) => (p95(other) > p95(one) ? other : one));
  return toResult(`slowest of ${measured.length} ${name} without a match: ${slowest.filter}`, slowest.times);
}

const toResult = (name: string, times: readonly number[]): Result => ({
  name: `check 5: first page of the audit log, ${name}, 95th percentile`,
  gatebook: percentile(times, 0.95),
  unit: 'ms',
  aim: { atMost: mostMs },
});

/** @returns how long each page took, in ms */
async function timesOf({ origin }: Server, query: Query): Promise<number[]> {
  const path = `/internal/audit-events?${new URLSearchParams(query)}`;
  const message = toMessage(origin, { method: 'GET', path, headers: adminHeaders });
  const connection = await openConnection(origin);
  const times: number[] = [];
  try {
    for (let round = -10; round < rounds; round += 1) {
      const start = performance.now();
      const { status, body } = await connection.send(message);
      if (round >= 0) times.push(performance.now() - start);
      const { items = [] } = JSON.parse(body) as { items?: unknown[] };
      const isExpected = Object.keys(query).length === 0 ? items.length > 0 : items.length === 0;
      if (status !== 200 || !isExpected) throw new Error(`${path} answered ${status} with ${items.length} events`);
    }
  } finally {
    connection.close();
  }
  return times;
}

export const adminHeaders = {
  'x-stack-access-type': 'admin',
  'x-stack-project-id': historyProject,
  'x-stack-super-secret-admin-key': historyKeys.admin,
};
