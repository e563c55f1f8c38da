import type { Shown } from './router.ts';
import { scrollUntilSettled } from './scroll-until-settled.ts';

const NAME = 'gatebook-scroll';
/** Pages of a tab whose positions are kept, the latest. */
const KEPT = 50;

export type ScrollPositions = {
  /** Keeps the position of the page that is left. */
  keep(key: string): void;
  /** Scrolls to where a page starts. @returns a function that ends it */
  apply(shown: Pick<Shown, 'location' | 'scrolls'>): () => void;
};

/** Where the pages of this tab were left, so that the browser's buttons lead back to there. */
export function createScrollPositions(): ScrollPositions {
  // The browser would scroll while the last page is still shown.
  history.scrollRestoration = 'manual';
  const known = readPositions();
  let shownKey: string | null = null;
  const keep = (key: string): void => {
    known.delete(key);
    known.set(key, scrollY);
  };
  addEventListener('pagehide', () => {
    if (shownKey !== null) keep(shownKey);
    sessionStorage.setItem(NAME, JSON.stringify([...known].slice(-KEPT)));
  });
  return {
    keep,
    apply: ({ location: { key, hash }, scrolls }) => {
      const isFirst = shownKey === null;
      shownKey = key;
      if (scrolls === 'not') return () => {};
      const position = scrolls === 'back' ? known.get(key) : undefined;
      // A document starts at its top. To scroll there would compute the layout before the page requests its data.
      if (isFirst && hash === '' && !position) return () => {};
      if (hash !== '' && position === undefined) {
        return scrollUntilSettled(() => document.getElementById(hash)?.scrollIntoView());
      }
      return scrollBackTo(position ?? 0);
    },
  };
}

/** Rows can come after the page, which is too short for its position until then. */
function scrollBackTo(position: number): () => void {
  let isReached = false;
  return scrollUntilSettled(() => {
    if (isReached) return;
    scrollTo(0, position);
    isReached = Math.abs(scrollY - position) < 1;
  });
}

function readPositions(): Map<string, number> {
  try {
    return new Map(JSON.parse(sessionStorage.getItem(NAME) ?? '[]'));
  } catch {
    return new Map();
  }
}
