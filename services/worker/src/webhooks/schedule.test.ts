import type { WebhookResult } from '@gatebook/commands/webhook/sender';
import { describe, expect, test } from 'vitest';
import { judge, pausesMs } from './schedule.ts';

const answered = (statusCode: number | null, given: Partial<WebhookResult> = {}): WebhookResult => ({
  ...{ statusCode, errorCode: statusCode === null ? 'timeout' : null, durationMs: 1, responseBody: '' },
  ...{ retryAfterMs: null, ...given },
});
const [minute, hour] = [60_000, 3_600_000];
const day = 24 * hour;

describe('check 14: the schedule of retries', () => {
  test('has ten attempts in 75 hours, 35 minutes and 5 seconds', () => {
    expect(pausesMs.length + 1).toBe(10);
    expect(pausesMs.reduce((sum, one) => sum + one)).toBe(75 * hour + 35 * minute + 5_000);
    for (const [step, pauseMs] of pausesMs.entries()) {
      expect(judge(answered(500), step, 0.5)).toMatchObject({ status: 'pending', step: step + 1, nextMs: pauseMs });
    }
    expect(judge(answered(500), pausesMs.length, 0.5)).toMatchObject({ status: 'failed', nextMs: null });
  });

  test('varies each pause by up to a fifth', () => {
    expect(judge(answered(null), 1, 0).nextMs).toBeCloseTo(4 * minute);
    expect(judge(answered(null), 1, 1).nextMs).toBeCloseTo(6 * minute);
  });

  test.each([200, 204, 299])('status %i is a delivery', (status) =>
    expect(judge(answered(status), 3, 0.5)).toMatchObject({ status: 'delivered', nextMs: null }),
  );
  test.each([100, 301, 304, 308, 400, 401, 404, 500])('status %i is a failure', (status) =>
    expect(judge(answered(status), 0, 0.5)).toMatchObject({ status: 'pending', nextMs: 5_000, pauseMs: 0 }),
  );

  test('waits as long as the receiver asks, up to a day', () => {
    expect(judge(answered(503, { retryAfterMs: hour }), 0, 0.5)).toMatchObject({ nextMs: hour, pauseMs: 0 });
    expect(judge(answered(503, { retryAfterMs: 1 }), 0, 0.5).nextMs).toBe(5_000);
    expect(judge(answered(503, { retryAfterMs: 9 * day }), 0, 0.5).nextMs).toBe(day);
  });

  test.each([429, 502, 504])('sends nothing more for a while after status %i', (status) => {
    expect(judge(answered(status), 0, 0.5).pauseMs).toBe(30_000);
    expect(judge(answered(status, { retryAfterMs: 9 * day }), 0, 0.5).pauseMs).toBe(day);
  });

  test('stops at status 410, and for targets that are not allowed', () => {
    expect(judge(answered(410), 2, 0.5)).toMatchObject({ status: 'pending', step: 2, pauseMs: 2_000, isGone: true });
    expect(judge(answered(null, { errorCode: 'forbidden' }), 0, 0.5)).toMatchObject({ status: 'failed', nextMs: null });
  });
});
