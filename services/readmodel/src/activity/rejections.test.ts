import { createFaultyPool } from '@gatebook/projections/testing/faulty-pool';
import type { Pool } from '@gatebook/runtime/postgres';
import { describe, expect, test } from 'vitest';
import { at, failed, idOf, later, startRecorders, throttle } from './testing/recorders.ts';

const { createUnreliablePool, database, lines, readRows, startActivity, startRecorder, sumCounts } =
  await startRecorders();

describe('recorded rejections', () => {
  test('are counted per window of five minutes, code, route, account and network', async () => {
    const { record, flush } = startRecorder();
    for (const requestId of ['first', 'second', 'third']) record(failed({ requestId }));
    record(failed({ at: later(3), requestId: 'next window' }));
    record(failed({ userId: idOf(1) }));
    record(failed({ network: null }));
    record(failed({ code: 'RATE_LIMITED' }));
    await flush();
    expect(await readRows()).toMatchObject([
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
    const rows = await readRows();
    expect(rows).toHaveLength(7);
    expect(await sumCounts()).toBe(3 * 20 * 50);
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
    let expected = await sumCounts();
    for (const moment of ['before', 'after'] as const) {
      for (let at = 1; at <= length; at += 1) {
        const faulty = createFaultyPool(database.url, { at, moment, kills: 'connection' });
        const recorder = startRecorder({ pool: faulty.pool });
        for (let n = 0; n < 3; n += 1) recorder.record(failed({ userId: idOf(n) }));
        await expect(recorder.flush()).rejects.toThrow();
        recorder.record(failed());
        await recorder.flush();
        expected += 4;
        expect(await sumCounts(), `${moment} statement ${at}: ${faulty.statements[at - 1]}`).toBe(expected);
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
    expect(await sumCounts()).toBe(1);
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
    expect(await sumCounts()).toBe(3_000);
    expect(await readRows()).toHaveLength(70);
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
    expect(await readRows()).toHaveLength(200);
    expect(await sumCounts()).toBe(1_000 + 149);
    expect(lines.join('')).toContain('"lost":851');
  });

  test('of 100,000 failed sign-ins over 1,000 accounts make fewer than 5,000 rows, whatever the networks (check 13)', async () => {
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
    expect(await sumCounts()).toBe(100_000);
    const { rows } = await database.pool.query(
      'select window_at, count(*)::int as rows from activity.rejections group by 1 order by 1',
    );
    expect(rows).toHaveLength(2);
    // Two windows and two processes.
    expect(rows[0].rows + rows[1].rows).toBeLessThan(5_000);
  });
});

describe('rejections of', () => {
  test('a deleted user lose account and network and keep their counts', async () => {
    const { record, recordThrottled, flush, drop } = startRecorder({ maxRowsPerProject: 2_000 });
    const activity = startActivity({ drop });
    for (let n = 0; n < 1_200; n += 1) {
      record(failed({ userId: idOf(1), network: `10.0.${n}.0/24`, requestId: `ann ${n}` }));
    }
    record(failed({ userId: idOf(2) }));
    record(failed({ network: null, requestId: 'unknown', at: later(0.1) }));
    recordThrottled(throttle());
    await flush();
    record(failed({ userId: idOf(1) }));
    await activity.forgetUser(idOf(1));
    await flush();
    expect(await readRows()).toMatchObject([
      { user_id: idOf(2), count: '1' },
      { user_id: null, network: null, count: '1201', first_request_id: 'ann 0', last_request_id: 'unknown' },
    ]);
    expect((await database.pool.query('select from activity.throttled_accounts')).rowCount).toBe(0);
  });

  test('a deleted project are deleted, and those of others stay', async () => {
    const { record, recordThrottled, flush, drop } = startRecorder();
    const activity = startActivity({ drop });
    for (const projectId of ['shop', 'forum']) {
      record(failed({ projectId }));
      recordThrottled(throttle({ projectId, userId: idOf(projectId.length) }));
    }
    await flush();
    record(failed());
    await activity.forgetProject('shop');
    await flush();
    expect(await readRows()).toMatchObject([{ project_id: 'forum', count: '1' }]);
    const accounts = await database.pool.query('select project_id from activity.throttled_accounts');
    expect(accounts.rows).toEqual([{ project_id: 'forum' }]);
  });
});
