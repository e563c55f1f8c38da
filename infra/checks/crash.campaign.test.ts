import { sized } from '@gatebook/runtime/testing/campaign';
import { expect, test } from 'vitest';
import { crashOnce } from './crash.ts';

const killPoints = [20, 5, 41].slice(0, sized({ inTest: 1, inCampaign: 3 }));

test.each(killPoints)(
  'kill -9 of all processes after %i acknowledged sign-ups loses none of them',
  async (killAfter) => {
    const report = await crashOnce({ signUps: killAfter + 40, killAfter });
    expect(report.faults).toEqual([]);
    expect(report.answered).toBeGreaterThanOrEqual(killAfter);
    expect(report.unsent).toBeGreaterThan(0);
  },
);
