import type { Page } from 'playwright-core';

/**
 * Opens a page of the dashboard as its links do, without a new document, and waits until it is loaded. `loads: false`:
 * only until it is shown.
 */
export async function walkTo(page: Page, href: string, { loads = true } = {}): Promise<void> {
  await page.evaluate(async (to) => {
    const index = history.state?.__TSR_index ?? 0;
    history.pushState({ key: to, __TSR_key: to, __TSR_index: index + 1 }, '', to);
    const nextFrame = () => new Promise((resolve) => requestAnimationFrame(resolve));
    // The last page is shown until React has rendered the next one.
    const isShown = () => document.documentElement.dataset.shown === location.href.slice(location.origin.length);
    const end = performance.now() + 30_000;
    do {
      if (performance.now() > end) throw new Error(`${to} is not shown; ${document.title} is`);
      await nextFrame();
    } while (!isShown());
    await nextFrame();
  }, href);
  if (loads) await untilLoaded(page);
}

/** Waits until the page has a heading and nothing loads or renders later. */
export async function untilLoaded(page: Page): Promise<void> {
  await page.waitForFunction(
    () =>
      document.querySelector('h1') !== null &&
      document.querySelector(
        '[role="status"]:is([aria-label^="Loading"], [aria-label$="geladen"]), [aria-busy="true"]',
      ) === null,
  );
}
