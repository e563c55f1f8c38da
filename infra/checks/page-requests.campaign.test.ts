import type { BrowserContext } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { pageRoutes, pathOf } from '../../dashboard/e2e/route-table.ts';
import { testDeadlineMs } from '../../services/runtime/src/testing/deadlines.ts';
import { fill, owner } from '../screenshots/fill.ts';
import { type BrowserProduct, signInByPassword, startBrowserProduct } from '../testing/browser-product.ts';
import { noChromium } from '../testing/chromium.ts';
import { findRequestRounds } from '../testing/request-rounds.ts';

/** The document, then its files, then what they read. */
const ROUNDS = 3;
/** Pages that read first whether the object exists, or what names the rest. */
const longer: Record<string, number> = {
  '/projects/$projectId/users/$userId': 4,
  '/projects/$projectId/teams/$teamId': 4,
  '/projects/$projectId/rejections/$requestId': 4,
  '/projects/$projectId/settings/sign-in-methods': 4,
  '/projects/$projectId/settings/providers': 4,
  '/projects/$projectId/webhooks/$endpointId': 4,
  '/operations': 4,
};
/** What is read again once its stream has begun, because it may have changed until then. */
const readAgain = /\/audit-events\?/;
/** A slow machine can count a round too many. */
const ATTEMPTS = 3;

let started: BrowserProduct;
let signedIn: Awaited<ReturnType<BrowserContext['storageState']>>;
let pathOfRoute: (route: string) => string;

describe.skipIf(noChromium)(
  `pages of the dashboard in a new browser${noChromium ? ` (skipped: ${noChromium})` : ''}`,
  { timeout: testDeadlineMs },
  () => {
    beforeAll(async () => {
      started = await startBrowserProduct('page-requests');
      const { owner: client, ...ids } = await fill(started.product, async () => {}, 1);
      const deliveryId = await vi.waitFor(async () => {
        const [delivery] = (await client.admin(ids.projectId).webhooks.listDeliveries(ids.endpointId)).items;
        if (!delivery) throw new Error('nothing was delivered yet');
        return delivery.id;
      });
      const template = { emailType: 'magic_link', objectType: 'email_template', objectId: 'magic_link' };
      const params = { ...ids, ...template, deliveryId, requestId: '0000000000000000' };
      pathOfRoute = (route) => pathOf(route, params);
      await started.page.goto(`${started.product.url}/handler/sign-in`);
      await signInByPassword(started.page, owner);
      await started.page.getByRole('heading', { name: 'Projects' }).waitFor();
      signedIn = await started.page.context().storageState();
    }, testDeadlineMs);
    afterAll(() => started?.close());

    test.for(pageRoutes.filter((route) => !['/setup', '/project-invitation'].includes(route)))(
      '%s is useful after few rounds of requests, and sends none twice',
      async (route) => {
        const limit = longer[route] ?? ROUNDS;
        let rounds = await open(route);
        for (let attempt = 1; attempt < ATTEMPTS && rounds.length > limit; attempt += 1) rounds = await open(route);
        expect(rounds.length, JSON.stringify(rounds.slice(1), null, 1)).toBeLessThanOrEqual(limit);
        const requests = rounds.flat();
        const isTwice = (url: string, index: number) => requests.indexOf(url) !== index && !readAgain.test(url);
        expect(requests.filter(isTwice)).toEqual([]);
      },
    );
  },
);

/** Opens a page in a new browser, which has nothing in its cache. */
async function open(route: string): Promise<readonly (readonly string[])[]> {
  const context = await started.browser.newContext({
    viewport: { width: 1440, height: 900 },
    storageState: signedIn,
  });
  const rounds = await findRequestRounds(await context.newPage(), `${started.product.url}${pathOfRoute(route)}`);
  await context.close();
  return rounds;
}
