import type { Pool } from '@gatebook/runtime/postgres';
import { describe, expect, test, vi } from 'vitest';
import { settleMs, windowOf } from './rejection-counts.ts';
import { beginRejections } from './rejection-rows.ts';
import { at, failed, later, startRecorders } from './testing/recorders.ts';

const { database, readRows, startRecorder } = await startRecorders();

describe('counts that a process could not write in time', () => {
  test('count in the window in which they are written, because exports have passed their own', async () => {
    const { record, flush } = startRecorder({ lateAfterMs: settleMs });
    const now = new Date().toISOString();
    record(failed({ requestId: 'first' }));
    record(failed({ at: later(7), requestId: 'second' }));
    record(failed({ at: now, code: 'RATE_LIMITED' }));
    await flush();
    const rows = await readRows();
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
