import type { Page } from 'playwright-core';

/** The router of the page, as it names itself for tools. */
type Router = {
  navigate(to: { href: string }): Promise<void>;
  state: { status: 'idle' | 'pending'; location: { href: string }; resolvedLocation?: { href: string } };
};

/**
 * Opens a page of the dashboard as its links do, without a new document, and waits until it is loaded. `loads: false`:
 * only until it is shown.
 */
export async function walkTo(page: Page, href: string, { loads = true } = {}): Promise<void> {
  await page.evaluate(async (to) => {
    const { __TSR_ROUTER__: router } = globalThis as unknown as { __TSR_ROUTER__: Router };
    await router.navigate({ href: to });
    const nextFrame = () => new Promise((resolve) => requestAnimationFrame(resolve));
    // The last page is shown until React has rendered the next one.
    const isShown = ({ status, location, resolvedLocation }: Router['state']) =>
      status === 'idle' && resolvedLocation?.href === location.href;
    const end = performance.now() + 30_000;
    do {
      if (performance.now() > end) throw new Error(`${to} is not shown; ${document.title} is`);
      await nextFrame();
    } while (!isShown(router.state));
    await nextFrame();
  }, href);
  if (loads) await untilLoaded(page);
}

/** Waits until the page has a heading and nothing loads. */
export async function untilLoaded(page: Page): Promise<void> {
  await page.waitForFunction(
    () =>
      document.querySelector('h1') !== null &&
      document.querySelector('[role="status"]:is([aria-label^="Loading"], [aria-label$="geladen"])') === null,
  );
}
