import { pause } from '@gatebook/runtime/pause';
import { pollDeadlineMs } from '@gatebook/runtime/testing/deadlines';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { startCounted } from './testing/counted-product.ts';

/** The start is over, and the unused lease of the caches has ended. */
const calmMs = 14_000;
const watchedMs = 10_000;

/** How often each statement runs at most in 10 seconds. What is not here must not run without a cause. */
const most: Readonly<Record<string, number>> = {
  // Each process notices within half a second when the log falls back.
  'log-glance': 21,
  // Two leaders show each second that they are alive. The listeners of the process and of two queues ask every five
  // seconds whether the server is.
  heartbeat: 28,
  'log-follow': 6,
  // Two queues, of BullMQ: jobs of dead processes, and jobs that were not announced.
  'job queue': 14,
  'insert into worker.queue_reports': 2,
  // Four reactors and five projections look rarely unless something is announced.
  'reactor-has-due': 12,
  'select v.*, coalesce(v.promoting_at': 10,
  'select exists (select from': 10,
  // A pool replaces a connection that was idle for long.
  'set statement_timeout': 2,
  "select set_config('statement_timeout', $1, false)": 2,
  // Messages and replays of webhooks, and batches of users, are announced, too.
  'list-pending-webhooks': 1,
  'select id, project_id as "projectId", endpoint_id': 1,
  'select id, project_id as "projectId", action,': 1,
};

let product: Awaited<ReturnType<typeof startCounted>>;
beforeAll(async () => {
  product = await startCounted();
});
afterAll(() => product.close());

function kindOf(statement: string): string {
  if (/^\s*(undefined )?--/.test(statement)) return 'job queue';
  const text = statement.replace(/^undefined /, '').replace(/\s+/g, ' ');
  if (text === 'select') return 'heartbeat';
  return Object.keys(most).find((kind) => text.startsWith(`${kind} `)) ?? text;
}

async function countStatements(): Promise<ReadonlyMap<string, number>> {
  product.statements.length = 0;
  await pause(watchedMs);
  const counts = new Map<string, number>();
  for (const kind of product.statements.map(kindOf)) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return counts;
}

test('an idle installation runs only the statements that it needs, and rarely', async () => {
  await pause(calmMs);
  // On a busy machine the end of the start takes longer; polls without a cause never end.
  await vi.waitFor(
    async () => {
      const counts = await countStatements();
      expect([...counts].filter(([kind, count]) => count > (most[kind] ?? 0))).toEqual([]);
      expect(counts.get('log-glance')).toBeGreaterThan(5);
      expect([...counts.values()].reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(80);
    },
    { timeout: pollDeadlineMs },
  );
});
