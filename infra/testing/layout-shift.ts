import type { Page } from 'playwright-core';

type Shift = PerformanceEntry & { value: number; hadRecentInput: boolean };

/** Sums up how far the contents of the pages that are opened next move by themselves (Cumulative Layout Shift). */
export async function watchLayoutShift(page: Page): Promise<() => Promise<number>> {
  await page.addInitScript(() => {
    Object.assign(globalThis, { layoutShift: 0 });
    const watch = globalThis as unknown as { layoutShift: number };
    new PerformanceObserver((list) => {
      for (const { value, hadRecentInput } of list.getEntries() as Shift[]) {
        if (!hadRecentInput) watch.layoutShift += value;
      }
    }).observe({ type: 'layout-shift', buffered: true });
  });
  return () =>
    page.evaluate(async () => {
      await document.fonts.ready;
      await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
      return (globalThis as unknown as { layoutShift: number }).layoutShift;
    });
}
