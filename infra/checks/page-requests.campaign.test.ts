import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { testDeadlineMs } from '../../services/runtime/src/testing/deadlines.ts';
import { noChromium } from '../testing/chromium.ts';
import { type FilledProduct, signedInRoutes, startFilledProduct } from '../testing/filled-product.ts';
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

let started: FilledProduct;

describe.skipIf(noChromium)(
  `pages of the dashboard in a new browser${noChromium ? ` (skipped: ${noChromium})` : ''}`,
  { timeout: testDeadlineMs },
  () => {
    beforeAll(async () => {
      started = await startFilledProduct('page-requests');
    }, testDeadlineMs);
    afterAll(() => started?.close());

    test.for(signedInRoutes)('%s is useful after few rounds of requests, and sends none twice', async (route) => {
      const limit = longer[route] ?? ROUNDS;
      let rounds = await open(route);
      for (let attempt = 1; attempt < ATTEMPTS && rounds.length > limit; attempt += 1) rounds = await open(route);
      expect(rounds.length, JSON.stringify(rounds.slice(1), null, 1)).toBeLessThanOrEqual(limit);
      const requests = rounds.flat();
      const isTwice = (url: string, index: number) => requests.indexOf(url) !== index && !readAgain.test(url);
      expect(requests.filter(isTwice)).toEqual([]);
    });
  },
);

/** Opens a page in a new browser, which has nothing in its cache. */
async function open(route: string) {
  const viewport = { width: 1440, height: 900 };
  const context = await started.browser.newContext({ viewport, storageState: started.signedIn });
  const page = await context.newPage();
  const rounds = await findRequestRounds(page, `${started.product.url}${started.pathOfRoute(route)}`);
  await context.close();
  return rounds;
}
