import type { Page } from 'playwright-core';

export type Loading = {
  /**
   * When the page last got the content that is seen without scrolling: a heading, and nothing that loads, except what
   * is further down by more than its half. Milliseconds since it was opened.
   */
  usefulMs: number;
  /** What was loaded by then, as sent. */
  kB: number;
  /** What moved by itself, as in Cumulative Layout Shift. */
  shifts: readonly { value: number; elements: readonly string[] }[];
};

type ShiftEntry = PerformanceEntry & {
  value: number;
  hadRecentInput: boolean;
  sources: readonly { node: Node | null; previousRect: DOMRectReadOnly; currentRect: DOMRectReadOnly }[];
};

/** Contents that come late move others within this time. */
const SETTLES_MS = 1_000;

/** Watches how the page that is opened next loads. @returns reads it once the page is loaded */
export async function watchLoading(page: Page): Promise<() => Promise<Loading>> {
  await page.addInitScript(() => {
    const watch = { usefulMs: 0, shifts: [] as { value: number; elements: string[] }[] };
    Object.assign(globalThis, { loading: watch });
    let wasUseful = false;
    const note = (isUseful: boolean): void => {
      if (isUseful && !wasUseful) watch.usefulMs = performance.now();
      wasUseful = isUseful;
    };
    const findLoading = () =>
      document.querySelectorAll('[role="status"]:is([aria-label^="Loading"], [aria-label$="geladen"])');
    const isSeen = (element: Element): boolean => {
      const { top, height } = element.getBoundingClientRect();
      return top + height / 2 < innerHeight;
    };
    const hasHeading = () => document.querySelector('h1') !== null;
    let isWaiting = false;
    const check = (): void => {
      const hasLoaded = findLoading().length === 0;
      if (hasLoaded || !hasHeading()) note(hasLoaded && hasHeading());
      else if (!isWaiting) {
        isWaiting = true;
        // The next frame computes the layout anyway. To compute it here would delay the page.
        requestAnimationFrame(() => {
          isWaiting = false;
          note(hasHeading() && ![...findLoading()].some(isSeen));
        });
      }
    };
    new MutationObserver(check).observe(document, { childList: true, subtree: true });
    const describe = (node: Node | null): string => {
      const element = node instanceof Element ? node : (node?.parentElement ?? null);
      return element ? `${element.tagName} ${element.className} ${element.textContent?.slice(0, 40)}` : 'removed';
    };
    const textOf = ({ x, y, width, height }: DOMRectReadOnly) => [x, y, width, height].map(Math.round).join(' ');
    new PerformanceObserver((list) => {
      for (const { value, hadRecentInput, sources } of list.getEntries() as ShiftEntry[]) {
        if (hadRecentInput) continue;
        const elements = sources.map(
          ({ node, previousRect, currentRect }) =>
            `${describe(node)}: ${textOf(previousRect)} → ${textOf(currentRect)}`,
        );
        watch.shifts.push({ value, elements });
      }
    }).observe({ type: 'layout-shift', buffered: true });
  });
  return async () => {
    await page.waitForTimeout(SETTLES_MS);
    return page.evaluate(async () => {
      await document.fonts.ready;
      await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
      const { loading } = globalThis as unknown as { loading: Omit<Loading, 'kB'> };
      const files = [
        ...(performance.getEntriesByType('navigation') as PerformanceResourceTiming[]),
        ...(performance.getEntriesByType('resource') as PerformanceResourceTiming[]),
      ].filter(({ responseEnd }) => responseEnd <= loading.usefulMs);
      return { ...loading, kB: files.reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0) / 1000 };
    });
  };
}
