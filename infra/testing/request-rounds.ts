import { setTimeout as pause } from 'node:timers/promises';
import type { Page, Route } from 'playwright-core';

/** Code that is loaded after its page waits for longer than this, and no page waits for it. */
const LATE_MS = 1_000;
/** Requests that follow a response are sent by then. If the machine is slower, a round too many is counted. */
const SETTLES_MS = 100;
/** Its response never ends. */
const stream = /\/stream\b/;

/**
 * Opens a page, and answers all requests that wait at the same time, until the page is useful. The number of these
 * rounds says how long the chain of requests is, however slow the machine is.
 */
export async function findRequestRounds(page: Page, url: string): Promise<readonly (readonly string[])[]> {
  await page.addInitScript((lateMs) => {
    const original = globalThis.setTimeout;
    const isSoon = (ms?: number) => ms === undefined || ms < lateMs;
    globalThis.setTimeout = ((run: () => void, ms?: number, ...values: unknown[]) =>
      isSoon(ms) ? original(run, ms, ...values) : 0) as typeof setTimeout;
  }, LATE_MS);
  const held: Route[] = [];
  await page.route('**/*', (route) => (stream.test(route.request().url()) ? route.continue() : void held.push(route)));
  const opened = page.goto(url).catch(() => null);
  while (held.length === 0) await pause(1);
  const rounds: string[][] = [];
  do {
    const answered = held.splice(0);
    rounds.push(answered.map((route) => route.request().url().replace(new URL(url).origin, '')));
    await Promise.all(
      answered.map(async (route) => {
        await route.continue();
        await (await route.request().response())?.finished();
      }),
    );
    await settle(page);
    if (await isUseful(page)) break;
    for (let waits = 0; held.length === 0 && !(await isUseful(page)); waits += 1) {
      if (waits === 300) throw new Error(`${url} waits for no request and is not useful`);
      await pause(SETTLES_MS);
    }
  } while (held.length > 0);
  await Promise.all(held.map((route) => route.abort()));
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  await opened;
  return rounds;
}

/** Waits until scripts have nothing to do. */
async function settle(page: Page): Promise<void> {
  for (const ms of [0, SETTLES_MS]) {
    await pause(ms);
    await page.evaluate(() => scheduler.postTask(() => {}, { priority: 'background' }));
  }
}

/** The page has its heading, and nothing loads that is seen without scrolling. */
function isUseful(page: Page): Promise<boolean> {
  return page.evaluate(() => {
    const loading = document.querySelectorAll('[role="status"]:is([aria-label^="Loading"], [aria-label$="geladen"])');
    const isSeen = (element: Element): boolean => {
      const { top, height } = element.getBoundingClientRect();
      return top + height / 2 < innerHeight;
    };
    return document.querySelector('h1') !== null && ![...loading].some(isSeen);
  });
}
