import type { Page } from 'playwright-core';
import { findAxeFaults } from '../../../infra/testing/axe.ts';
import { findAccessFaults, findMisplacedTexts, findOverflow } from '../../../infra/testing/page-checks.ts';

export const sizes = { wide: 1440, narrow: 390 } as const;
/** Every pair of scheme and width. */
export const allLooks = [
  ...[{ scheme: 'light', width: sizes.wide } as const, { scheme: 'light', width: sizes.narrow } as const],
  ...[{ scheme: 'dark', width: sizes.wide } as const, { scheme: 'dark', width: sizes.narrow } as const],
];
export type Look = (typeof allLooks)[number];
/** Two looks that have both schemes and both widths, in turn. */
const looksInTurn: readonly (readonly Look[])[] = [
  allLooks.filter(({ scheme, width }) => (scheme === 'light') === (width === sizes.wide)),
  allLooks.filter(({ scheme, width }) => (scheme === 'light') !== (width === sizes.wide)),
];

/** What does not fit the window, once charts have followed its width. */
export async function findLayoutFaults(page: Page): Promise<string[]> {
  await page
    .waitForFunction(() => document.documentElement.scrollWidth <= innerWidth, null, { timeout: 2_000 })
    .catch(() => {});
  const overflow = await findOverflow(page);
  return [...(overflow > 0 ? [`${overflow} px too wide`] : []), ...(await findMisplacedTexts(page))];
}

export type PageChecks = {
  /** By page and state. */
  faults: Record<string, readonly string[]>;
  /** Notes what axe finds on a page, and what does not fit. In all looks, also what axe does not look at. */
  check: (page: Page, state: string, looks?: readonly Look[]) => Promise<void>;
};

export function createPageChecks(): PageChecks {
  const faults: PageChecks['faults'] = {};
  let turn = 0;
  return {
    faults,
    check: async (page, state, looks = looksInTurn[turn++ % 2] ?? allLooks) => {
      const found: string[] = looks === allLooks ? await findAccessFaults(page) : [];
      const widthsWithAxe = new Set<number>();
      // A color scheme changes colors only, so the other rules run once at each width.
      for (const { scheme, width } of looks) {
        await page.emulateMedia({ colorScheme: scheme });
        await page.setViewportSize({ width, height: 900 });
        const isKnown = widthsWithAxe.has(width);
        widthsWithAxe.add(width);
        const misfits = isKnown ? [] : await findLayoutFaults(page);
        const ofAxe = await findAxeFaults(page, isKnown ? { only: 'colors' } : {});
        found.push(...[...ofAxe, ...misfits].map((text) => `${scheme} ${width}: ${text}`));
      }
      if (found.length > 0) faults[state] = found;
    },
  };
}
