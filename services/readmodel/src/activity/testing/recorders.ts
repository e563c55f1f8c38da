import { createLogger } from '@gatebook/runtime/logger';
import type { Pool } from '@gatebook/runtime/postgres';
import { testDatabase } from '@gatebook/runtime/testing/database';
import { afterAll, beforeEach } from 'vitest';
import { createActivity, migrateActivity } from '../activity.ts';
import type { RejectedRequest } from '../rejected-requests.ts';
import { createRejections, type Rejections, type Throttled } from '../rejections.ts';

export const idOf = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;
export const at = '2026-03-02T10:02:00.000Z';
export const later = (minutes: number) => new Date(Date.parse(at) + minutes * 60_000).toISOString();

export const failed = (change: Partial<RejectedRequest> = {}): RejectedRequest => ({
  projectId: 'shop',
  code: 'EMAIL_PASSWORD_MISMATCH',
  route: 'POST /api/v1/auth/password/sign-in',
  accessType: 'client',
  userId: null,
  network: '203.0.113.0/24',
  requestId: 'request',
  at,
  status: 400,
  isAccess: true,
  actor: null,
  permission: null,
  ...change,
});

export const throttle = (change: Partial<Throttled> = {}): Throttled => ({
  ...{ projectId: 'shop', userId: idOf(1), failures: 60, minutes: 10, requestId: 'request', at },
  ...change,
});

/** Tests record rejections of long ago. */
const never = 1e12;

/**
 * Processes that record rejections in the database of one test file, which is emptied before each test. Await it at the
 * top of the file.
 */
export async function startRecorders() {
  const lines: string[] = [];
  const logger = createLogger({ level: 'warn' }, { write: (line) => lines.push(line) });
  const closes: (() => Promise<unknown>)[] = [];
  const database = await testDatabase();
  await migrateActivity(database.pool);
  afterAll(() => database.close());
  beforeEach(async () => {
    for (const close of closes.splice(0)) await close();
    await database.pool.query('truncate activity.rejections, activity.rejected_requests, activity.throttled_accounts');
    lines.length = 0;
  });

  return {
    database,
    /** What was logged since the test began. */
    lines,

    startRecorder(options: Partial<Parameters<typeof createRejections>[0]> = {}) {
      const throttled: Throttled[] = [];
      const rejections = createRejections({
        pool: database.pool,
        logger,
        onThrottled: async (account) => void throttled.push(account),
        lateAfterMs: never,
        ...options,
      });
      closes.push(() => rejections.close().catch(() => undefined));
      return { ...rejections, throttled };
    },

    startActivity(rejections: Pick<Rejections, 'drop'>) {
      const activity = createActivity({ pool: database.pool, rejections, logger });
      closes.push(() => activity.close());
      return activity;
    },

    /** A pool that can't reach Postgres while `isAway`. */
    createUnreliablePool() {
      const state = { isAway: false };
      const reject = () => Promise.reject(new Error('Postgres is away'));
      const pool = new Proxy(database.pool, {
        get: (target, name: 'connect' | 'query') => (state.isAway ? reject : target[name].bind(target)),
      }) as Pool;
      return { pool, state };
    },

    readRows: async () =>
      (
        await database.pool.query(
          'select * from activity.rejections order by window_at, code, network, user_id nulls first',
        )
      ).rows,

    sumCounts: async () =>
      Number((await database.pool.query('select coalesce(sum(count), 0) as sum from activity.rejections')).rows[0].sum),
  };
}
