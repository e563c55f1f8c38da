import { describe, expect, test } from 'vitest';
import { failed, idOf, later, startRecorders, throttle } from './testing/recorders.ts';

const { createUnreliablePool, lines, startRecorder, sumCounts } = await startRecorders();

describe('a throttled account', () => {
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
    expect(await sumCounts()).toBe(1);
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
