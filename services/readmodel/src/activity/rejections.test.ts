import { createFaultyPool } from '@gatebook/projections/testing/faulty-pool';
import { createLogger } from '@gatebook/runtime/logger';
import type { Pool } from '@gatebook/runtime/postgres';
import { type TestDatabase, testDatabase } from '@gatebook/runtime/testing/database';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { createActivity, migrateActivity } from './activity.ts';
import type { RejectedRequest } from './rejected-requests.ts';
import { settleMs, windowOf } from './rejection-counts.ts';
import { beginRejections } from './rejection-rows.ts';
import { createRejections, type Throttled } from './rejections.ts';

const lines: string[] = [];
const logger = createLogger({ level: 'warn' }, { write: (line) => lines.push(line) });
const idOf = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;
const at = '2026-03-02T10:02:00.000Z';
const later = (minutes: number) => new Date(Date.parse(at) + minutes * 60_000).toISOString();

const failed = (change: Partial<RejectedRequest> = {}): RejectedRequest => ({
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

let database: TestDatabase;
const closes: (() => Promise<unknown>)[] = [];
beforeAll(async () => {
  database = await testDatabase();
  await migrateActivity(database.pool);
});
afterAll(() => database.close());
beforeEach(async () => {
  for (const close of closes.splice(0)) await close();
  await database.pool.query('truncate activity.rejections, activity.rejected_requests, activity.throttled_accounts');
  lines.length = 0;
});

/** Tests record rejections of long ago. */
const never = 1e12;

/** A process that records rejections. */
function startRecorder(options: Partial<Parameters<typeof createRejections>[0]> = {}) {
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
}

/** A pool that can't reach Postgres while `isAway`. */
function createUnreliablePool() {
  const state = { isAway: false };
  const reject = () => Promise.reject(new Error('Postgres is away'));
  const pool = new Proxy(database.pool, {
    get: (target, name: 'connect' | 'query') => (state.isAway ? reject : target[name].bind(target)),
  }) as Pool;
  return { pool, state };
}

const rowsOf = async () =>
  (
    await database.pool.query(
      'select * from activity.rejections order by window_at, code, network, user_id nulls first',
    )
  ).rows;
const total = async () =>
  Number((await database.pool.query('select coalesce(sum(count), 0) as sum from activity.rejections')).rows[0].sum);

describe('counts that a process could not write in time', () => {
  test('count in the window in which they are written, because exports have passed their own', async () => {
    const { record, flush } = startRecorder({ lateAfterMs: settleMs });
    const now = new Date().toISOString();
    record(failed({ requestId: 'first' }));
    record(failed({ at: later(7), requestId: 'second' }));
    record(failed({ at: now, code: 'RATE_LIMITED' }));
    await flush();
    const rows = await rowsOf();
    expect(rows).toMatchObject([
      { count: '2', first_request_id: 'first', last_request_id: 'second' },
      { code: 'RATE_LIMITED', first_at: new Date(now) },
    ]);
    expect(rows[0].window_at.getTime()).toBeGreaterThanOrEqual(Date.parse(windowOf(now)));
    expect([rows[0].first_at, rows[0].last_at]).toEqual([rows[0].window_at, rows[0].window_at]);
  });

  test('are waited for before their window counts as settled', async () => {
    let looks = 0;
    const pool = new Proxy(database.pool, {
      get: (target, name: 'connect' | 'query') => {
        if (name === 'query') looks += 1;
        return target[name].bind(target);
      },
    }) as Pool;
    const { settle } = startRecorder({ pool });
    const writer = await database.pool.connect();
    await writer.query('begin');
    await beginRejections(writer);
    let isSettled = false;
    const settled = settle(Date.parse(at)).finally(() => {
      isSettled = true;
    });
    await vi.waitFor(() => expect(looks).toBeGreaterThan(1));
    expect(isSettled).toBe(false);
    await writer.query('commit');
    writer.release();
    expect(await settled).toBe(Date.parse(at));
  });

  test('are not waited for if there is no time to wait', async () => {
    const { settle } = startRecorder();
    const writer = await database.pool.connect();
    await writer.query('begin');
    await beginRejections(writer);
    const before = performance.now();
    expect(await settle(Date.parse(at), 0)).toBeLessThan(Date.parse(at));
    expect(performance.now() - before).toBeLessThan(1_000);
    await writer.query('commit');
    writer.release();
    expect(await settle(Date.parse(at), 0)).toBe(Date.parse(at));
  });

  test('are not waited for if their process freezes', async () => {
    const { settle } = startRecorder();
    const frozen = await database.pool.connect();
    await frozen.query('begin');
    await beginRejections(frozen);
    expect(await settle(Date.parse(at))).toBe(Date.parse(at));
    await expect(frozen.query('commit')).rejects.toThrow();
    frozen.release(true);
  });
});

describe('recorded rejections', () => {
  test('are counted per window of five minutes, code, route, account and network', async () => {
    const { record, flush } = startRecorder();
    for (const requestId of ['first', 'second', 'third']) record(failed({ requestId }));
    record(failed({ at: later(3), requestId: 'next window' }));
    record(failed({ userId: idOf(1) }));
    record(failed({ network: null }));
    record(failed({ code: 'RATE_LIMITED' }));
    await flush();
    expect(await rowsOf()).toMatchObject([
      { code: 'EMAIL_PASSWORD_MISMATCH', count: '3', first_request_id: 'first', last_request_id: 'third' },
      { user_id: idOf(1), count: '1' },
      { network: null, count: '1' },
      { code: 'RATE_LIMITED', count: '1' },
      { window_at: new Date('2026-03-02T10:05:00.000Z'), first_request_id: 'next window', count: '1' },
    ]);
  });

  test('of several processes are added to the same window, exactly', async () => {
    const recorders = [startRecorder(), startRecorder(), startRecorder()];
    for (let round = 0; round < 20; round += 1) {
      for (const [index, { record }] of recorders.entries()) {
        for (let n = 0; n < 50; n += 1) {
          const time = new Date(Date.parse(at) + round * 1_000 + index).toISOString();
          record(failed({ userId: idOf(n % 7), at: time, requestId: `${index} ${round} ${n}` }));
        }
      }
      await Promise.all(recorders.map(({ flush }) => flush()));
    }
    const rows = await rowsOf();
    expect(rows).toHaveLength(7);
    expect(await total()).toBe(3 * 20 * 50);
    expect(rows[0]).toMatchObject({ first_request_id: '0 0 0', last_request_id: '2 19 49', first_at: new Date(at) });
  });

  test('are counted once, at whatever statement the connection breaks', async () => {
    const dry = createFaultyPool(database.url, null);
    const { record, flush } = startRecorder({ pool: dry.pool });
    record(failed());
    await flush();
    const { length } = dry.statements;
    await dry.close();
    expect(length).toBeGreaterThan(3);
    let expected = await total();
    for (const moment of ['before', 'after'] as const) {
      for (let at = 1; at <= length; at += 1) {
        const faulty = createFaultyPool(database.url, { at, moment, kills: 'connection' });
        const recorder = startRecorder({ pool: faulty.pool });
        for (let n = 0; n < 3; n += 1) recorder.record(failed({ userId: idOf(n) }));
        await expect(recorder.flush()).rejects.toThrow();
        recorder.record(failed());
        await recorder.flush();
        expected += 4;
        expect(await total(), `${moment} statement ${at}: ${faulty.statements[at - 1]}`).toBe(expected);
        await recorder.close();
        await faulty.close();
      }
    }
  });

  test('are counted once if Postgres commits them long after the connection broke', async () => {
    const client = await database.pool.connect();
    let isBroken = false;
    const query = (...args: unknown[]) => {
      isBroken ||= args[0] === 'commit';
      return isBroken ? Promise.reject(new Error('connection lost')) : Reflect.apply(client.query, client, args);
    };
    const connection = Object.assign(Object.create(client), { query, release: () => undefined });
    const pool = new Proxy(database.pool, {
      get: (target, name: 'connect' | 'query') =>
        name === 'connect' && !isBroken ? async () => connection : target[name].bind(target),
    }) as Pool;
    const { record, flush } = startRecorder({ pool });
    record(failed());
    await expect(flush()).rejects.toThrow('connection lost');
    await expect(flush()).rejects.toThrow('still running');
    await client.query('commit');
    client.release();
    await flush();
    expect(await total()).toBe(1);
  });

  test('are kept while Postgres is away, and written when the process stops', async () => {
    const { pool, state } = createUnreliablePool();
    const { record, flush, close } = startRecorder({ pool });
    state.isAway = true;
    for (let minute = 0; minute < 30; minute += 1) {
      for (let n = 0; n < 100; n += 1) record(failed({ at: later(minute), userId: idOf(n % 10) }));
      await expect(flush()).rejects.toThrow('Postgres is away');
    }
    state.isAway = false;
    await close();
    expect(await total()).toBe(3_000);
    expect(await rowsOf()).toHaveLength(70);
  });

  test('take a bounded amount of memory: beyond it the oldest are kept, and the others are reported as lost', async () => {
    const { pool, state } = createUnreliablePool();
    const { record, flush } = startRecorder({ pool, maxRows: 100, maxRowsPerProject: 50 });
    state.isAway = true;
    for (let n = 0; n < 1_000; n += 1) record(failed({ userId: idOf(n) }));
    for (let n = 0; n < 1_000; n += 1) record(failed({ projectId: `project ${n}`, requestId: `other ${n}` }));
    await expect(flush()).rejects.toThrow('Postgres is away');
    state.isAway = false;
    await flush();
    // The first 50 accounts, their project's other accounts, and one row for each of the first 149 other projects.
    expect(await rowsOf()).toHaveLength(200);
    expect(await total()).toBe(1_000 + 149);
    expect(lines.join('')).toContain('"lost":851');
  });

  test('of 100,000 failed sign-ins over 1,000 accounts make fewer than 5,000 rows, whatever the networks', async () => {
    const recorders = [startRecorder(), startRecorder()];
    for (let n = 0; n < 100_000; n += 1) {
      const time = new Date(Date.parse(at) + n * 3).toISOString();
      const code = n % 5 === 0 ? 'EMAIL_PASSWORD_MISMATCH' : 'RATE_LIMITED';
      const network = `10.${n % 251}.${n % 241}.0/24`;
      const recorder = recorders[n % 2];
      recorder?.record(failed({ code, network, userId: n % 3 === 0 ? idOf(n % 1_000) : null, at: time }));
      if (n % 10_000 === 0) await Promise.all(recorders.map(({ flush }) => flush()));
    }
    await Promise.all(recorders.map(({ flush }) => flush()));
    expect(await total()).toBe(100_000);
    const { rows } = await database.pool.query(
      'select window_at, count(*)::int as rows from activity.rejections group by 1 order by 1',
    );
    expect(rows).toHaveLength(2);
    // Two windows and two processes.
    expect(rows[0].rows + rows[1].rows).toBeLessThan(5_000);
  });
});

describe('a throttled account', () => {
  const throttle = (change: Partial<Throttled> = {}): Throttled => ({
    ...{ projectId: 'shop', userId: idOf(1), failures: 60, minutes: 10, requestId: 'request', at },
    ...change,
  });

  test('is recorded by one of several processes, and again after the minutes of the limit', async () => {
    const recorders = [startRecorder(), startRecorder(), startRecorder()];
    const recordAt = async (minutes: number) => {
      for (const [index, { recordThrottled }] of recorders.entries()) {
        recordThrottled(throttle({ at: later(minutes + index / 1_000) }));
      }
      await Promise.all(recorders.map(({ flush }) => flush()));
      return recorders.reduce((sum, { throttled }) => sum + throttled.length, 0);
    };
    expect(await recordAt(0)).toBe(1);
    expect(await recordAt(4)).toBe(1);
    expect(await recordAt(9.9)).toBe(1);
    expect(await recordAt(10)).toBe(2);
  });

  test('is one of at most 40 of a project in five minutes', async () => {
    const { recordThrottled, flush, throttled } = startRecorder();
    for (let n = 0; n < 500; n += 1) recordThrottled(throttle({ userId: idOf(n) }));
    recordThrottled(throttle({ userId: idOf(500), projectId: 'forum' }));
    await flush();
    expect(throttled.filter(({ projectId }) => projectId === 'shop')).toHaveLength(40);
    expect(throttled.filter(({ projectId }) => projectId === 'forum')).toHaveLength(1);
    recordThrottled(throttle({ userId: idOf(999), at: later(5) }));
    await flush();
    expect(throttled).toHaveLength(42);
  });

  test('whose event can’t be appended does not keep rejections from being written', async () => {
    const { record, recordThrottled, flush } = startRecorder({
      onThrottled: () => Promise.reject(new Error('the log is away')),
    });
    record(failed());
    recordThrottled(throttle());
    await flush();
    expect(await total()).toBe(1);
    expect(lines.join('')).toContain('could not record throttled sign-ins');
  });

  test.each(['before', 'after'])('is recorded after a failure %s the event was appended', async (moment) => {
    const appended = new Set<string>();
    let failures = 3;
    const { recordThrottled, flush } = startRecorder({
      onThrottled: async ({ requestId }) => {
        if (moment === 'after') appended.add(requestId);
        failures -= 1;
        if (failures >= 0) throw new Error('the log is away');
        appended.add(requestId);
      },
    });
    recordThrottled(throttle({ requestId: 'first' }));
    for (let minute = 1; minute <= 6; minute += 1) {
      await flush();
      recordThrottled(throttle({ requestId: 'later', at: later(minute) }));
    }
    expect([...appended]).toEqual(['first']);
    expect(failures).toBe(-1);
  });

  test('whose event can’t be appended does not keep those of others out of the log', async () => {
    const throttled: string[] = [];
    const { recordThrottled, flush } = startRecorder({
      onThrottled: async ({ userId }) => {
        if (userId === idOf(1)) throw new Error('the stream is unreadable');
        throttled.push(userId);
      },
    });
    for (let n = 1; n <= 3; n += 1) recordThrottled(throttle({ userId: idOf(n) }));
    for (let n = 0; n < 3; n += 1) await flush();
    expect(throttled).toEqual([idOf(2), idOf(3)]);
  });

  test('that is dropped while others are recorded is not recorded', async () => {
    const throttled: string[] = [];
    const { recordThrottled, flush, drop } = startRecorder({
      onThrottled: async ({ userId }) => {
        throttled.push(userId);
        drop((row) => row.userId === idOf(2));
      },
    });
    for (let n = 1; n <= 3; n += 1) recordThrottled(throttle({ userId: idOf(n) }));
    await flush();
    expect(throttled).toEqual([idOf(1), idOf(3)]);
  });

  test('is marked once Postgres is back', async () => {
    const { pool, state } = createUnreliablePool();
    const { recordThrottled, flush, throttled } = startRecorder({ pool });
    state.isAway = true;
    recordThrottled(throttle());
    await flush().catch(() => undefined);
    state.isAway = false;
    await flush();
    await flush();
    expect(throttled).toHaveLength(1);
  });
});

describe('rejections of', () => {
  test('a deleted user lose account and network and keep their counts', async () => {
    const { record, recordThrottled, flush, drop } = startRecorder({ maxRowsPerProject: 2_000 });
    const activity = createActivity({ pool: database.pool, rejections: { drop }, logger });
    closes.push(() => activity.close());
    for (let n = 0; n < 1_200; n += 1) {
      record(failed({ userId: idOf(1), network: `10.0.${n}.0/24`, requestId: `ann ${n}` }));
    }
    record(failed({ userId: idOf(2) }));
    record(failed({ network: null, requestId: 'unknown', at: later(0.1) }));
    recordThrottled({ projectId: 'shop', userId: idOf(1), failures: 60, minutes: 10, requestId: 'request', at });
    await flush();
    record(failed({ userId: idOf(1) }));
    await activity.forgetUser(idOf(1));
    await flush();
    expect(await rowsOf()).toMatchObject([
      { user_id: idOf(2), count: '1' },
      { user_id: null, network: null, count: '1201', first_request_id: 'ann 0', last_request_id: 'unknown' },
    ]);
    expect((await database.pool.query('select from activity.throttled_accounts')).rowCount).toBe(0);
  });

  test('a deleted project are deleted, and those of others stay', async () => {
    const { record, recordThrottled, flush, drop } = startRecorder();
    const activity = createActivity({ pool: database.pool, rejections: { drop }, logger });
    closes.push(() => activity.close());
    for (const projectId of ['shop', 'forum']) {
      record(failed({ projectId }));
      recordThrottled({
        projectId,
        userId: idOf(projectId.length),
        failures: 60,
        minutes: 10,
        requestId: 'request',
        at,
      });
    }
    await flush();
    record(failed());
    await activity.forgetProject('shop');
    await flush();
    expect(await rowsOf()).toMatchObject([{ project_id: 'forum', count: '1' }]);
    const accounts = await database.pool.query('select project_id from activity.throttled_accounts');
    expect(accounts.rows).toEqual([{ project_id: 'forum' }]);
  });
});

describe('requests that failed', () => {
  const requests = async () =>
    (await database.pool.query('select * from activity.rejected_requests order by at, request_id')).rows;

  test('are kept with code, status, actor and missing permission', async () => {
    const { record, flush } = startRecorder();
    const actor = { kind: 'user', id: idOf(1), impersonator: { kind: 'owner', id: idOf(2) } } as const;
    record(failed({ actor, status: 401, permission: { teamId: idOf(3), permissionId: '$update_team' } }));
    record(failed({ requestId: 'other', isAccess: false, code: 'SCHEMA_ERROR' }));
    await flush();
    expect(await requests()).toMatchObject([
      { request_id: 'other', code: 'SCHEMA_ERROR', actor_kind: null },
      { actor_kind: 'user', actor_id: idOf(1), impersonator_id: idOf(2), team_id: idOf(3), status: 401 },
    ]);
    expect(await total()).toBe(1);
  });

  test('cost at most 5,000 rows for 100,000 in five minutes, whatever they are (check 13)', async () => {
    const { record, flush } = startRecorder();
    for (let n = 0; n < 100_000; n += 1) {
      const network = `10.${n % 4}.${n % 250}.0/24`;
      const userId = n % 2 === 0 ? idOf(n % 1_000) : null;
      record(failed({ network, userId, requestId: `request ${n}`, at: later((n / 100_000) * 5) }));
      if (n % 20_000 === 0) await flush();
    }
    record(failed({ code: 'TEAM_PERMISSION_REQUIRED', route: 'PATCH /teams', requestId: 'legitimate', at: later(5) }));
    await flush();
    const rows = (await database.pool.query('select from activity.rejections')).rowCount ?? 0;
    const kept = await requests();
    expect(rows + kept.length).toBeLessThan(5_000);
    expect(await total()).toBe(100_001);
    expect(kept.map(({ request_id }) => request_id)).toEqual(expect.arrayContaining(['request 0', 'legitimate']));
    expect(kept).toHaveLength(2 * 50 + 1);
  });

  test('with many codes and routes are bounded in all, and everyday errors take no room of rejections', async () => {
    const { record, flush } = startRecorder();
    for (let n = 0; n < 2_000; n += 1) {
      record(failed({ requestId: `error ${n}`, route: `GET /path ${n % 100}`, code: 'SCHEMA_ERROR', isAccess: false }));
    }
    for (let n = 0; n < 2_000; n += 1) record(failed({ requestId: `${n}`, route: `GET /path ${n % 100}` }));
    record(failed({ projectId: 'forum', requestId: 'forum' }));
    await flush();
    const kept = await requests();
    expect(kept.filter(({ code }) => code === 'SCHEMA_ERROR')).toHaveLength(60);
    expect(kept.filter(({ code }) => code !== 'SCHEMA_ERROR')).toHaveLength(301);
    expect(kept.map(({ request_id }) => request_id)).toContain('forum');
  });

  test('are written once Postgres is back, and once only', async () => {
    const { pool, state } = createUnreliablePool();
    const { record, flush } = startRecorder({ pool });
    record(failed());
    state.isAway = true;
    await flush().catch(() => undefined);
    state.isAway = false;
    await flush();
    record(failed());
    await flush();
    expect(await requests()).toHaveLength(1);
  });

  test('lose everything personal with the account, the actor or the impersonator, also before they are written', async () => {
    const { record, flush, drop } = startRecorder();
    const activity = createActivity({ pool: database.pool, rejections: { drop }, logger });
    closes.push(() => activity.close());
    const by = (nth: number) => ({ kind: 'user', id: idOf(nth) }) as const;
    record(failed({ userId: idOf(1), requestId: 'a' }));
    record(failed({ userId: idOf(2), actor: by(1), requestId: 'b' }));
    record(failed({ actor: { ...by(2), impersonator: { kind: 'owner', id: idOf(1) } }, requestId: 'c' }));
    record(failed({ userId: idOf(2), actor: by(2), requestId: 'd' }));
    await flush();
    record(failed({ actor: by(1), requestId: 'e' }));
    await activity.forgetUser(idOf(1));
    await flush();
    const nobody = { network: null, actor_id: null, actor_kind: null, impersonator_id: null };
    expect(await requests()).toMatchObject([
      { request_id: 'a', user_id: null, ...nobody },
      { request_id: 'b', user_id: idOf(2), ...nobody },
      { request_id: 'c', user_id: null, ...nobody },
      { request_id: 'd', user_id: idOf(2), actor_id: idOf(2), network: '203.0.113.0/24' },
    ]);
    await activity.forgetProject('shop');
    expect(await requests()).toEqual([]);
  });
});
