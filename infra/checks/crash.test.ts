import { expect, test } from 'vitest';
import { crashOnce } from './crash.ts';

test('kill -9 of everything in the middle of sign-ups loses nothing that was answered', {
  timeout: 120_000,
}, async () => {
  const report = await crashOnce({ signUps: 60, killAfter: 20 });
  expect(report.faults).toEqual([]);
  expect(report.answered).toBeGreaterThanOrEqual(20);
  expect(report.unsent).toBeGreaterThan(0);
});
