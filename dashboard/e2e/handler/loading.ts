import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'vitest';
import { watchLayoutShift } from '../../../infra/testing/layout-shift.ts';
import { test } from './fixture.ts';

export function testLoading(): void {
  test('load less than 100 kB for the sign-in page', async ({ watch, open, field }) => {
    const fresh = await watch.open({ colorScheme: 'light' });
    await open('/handler/sign-in', fresh);
    await field('Email', fresh).waitFor();
    const bytes = await fresh.evaluate(() =>
      (performance.getEntriesByType('resource') as PerformanceResourceTiming[])
        .map(({ encodedBodySize }) => encodedBodySize)
        .reduce((sum, size) => sum + size, 0),
    );
    await fresh.close();
    expect(bytes).toBeGreaterThan(40_000);
    expect(bytes).toBeLessThan(100_000);
  });

  test.for([1280, 390])(
    'keep their contents in place while they load, at %i px',
    async (width, { browser, watch, open }) => {
      const context = await browser.newContext({ viewport: { width, height: 844 } });
      for (const path of ['/handler/sign-in', '/handler/sign-up', '/handler/forgot-password', '/setup?token=used']) {
        const fresh = await watch.open({ colorScheme: 'light', context });
        const readShift = await watchLayoutShift(fresh);
        // Late, so that the placeholder is painted first.
        await fresh.route('**/api/v1/**', (route) => pause(500).then(() => route.continue()));
        await open(path, fresh);
        await fresh.getByRole('textbox').or(fresh.getByText('restart Gatebook')).first().waitFor();
        expect(await readShift(), path).toBeLessThanOrEqual(0.02);
        await fresh.close();
      }
      await context.close();
    },
  );
}
