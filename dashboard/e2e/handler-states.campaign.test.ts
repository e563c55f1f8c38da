import { rm } from 'node:fs/promises';
import { sampleOf } from '@gatebook/runtime/testing/campaign';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { handlerStates, openHandlerState } from '../../infra/screenshots/handler-states.ts';
import { buildDashboard } from '../../infra/testing/build-dashboard.ts';
import { launchChromium, noChromium } from '../../infra/testing/chromium.ts';
import { findMisplacedTexts, findPageFaults } from '../../infra/testing/page-checks.ts';
import { makeDataFolder } from '../../infra/testing/passable-folder.ts';
import { startOnCopy } from '../../infra/testing/prepared-data.ts';
import type { Product } from '../../infra/testing/product.ts';

let folder: string;
let product: Product;
let browser: Browser;

describe.skipIf(noChromium)(
  `every state of the handler pages in a browser${noChromium ? ` (skipped: ${noChromium})` : ''}`,
  () => {
    beforeAll(async () => {
      await buildDashboard();
      folder = await makeDataFolder('gatebook-handler-states-');
      product = await startOnCopy(folder, {
        GATEBOOK_RATE_LIMITS: 'off',
        GATEBOOK_INTERNAL_SIGN_UP: 'open',
      });
      browser = await launchChromium();
    });
    afterAll(async () => {
      await browser?.close();
      await product?.stop();
      if (folder) await rm(folder, { recursive: true, force: true });
    });

    test('fits 390 px and is accessible in light and dark mode', async () => {
      const issues: Record<string, string[]> = {};
      const states = sampleOf(Object.entries(handlerStates), 8).values();
      // Check three states at a time, because pages mostly wait for loading and transitions.
      const checkStates = async (): Promise<void> => {
        for (const [name, state] of states) {
          const context = await browser.newContext({ viewport: { width: 390, height: 844 }, colorScheme: 'light' });
          const phone = await context.newPage();
          await openHandlerState(phone, product.url, state);
          const found = [...(await findPageFaults(phone)), ...(await findMisplacedTexts(phone))];
          // A faked response may still be on its way when the page closes.
          await phone.unrouteAll({ behavior: 'ignoreErrors' });
          if (found.length > 0) issues[name] = found;
          await context.close();
        }
      };
      await Promise.all([checkStates(), checkStates(), checkStates()]);
      expect(issues).toEqual({});
    });
  },
);
