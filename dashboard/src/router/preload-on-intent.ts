import type { Router } from './router.ts';

/** A pointer that only crosses a link is gone by then. */
const INTENT_MS = 50;

/** Loads a page when its link is pointed at or has the focus. */
export function preloadOnIntent({ preload }: Pick<Router, 'preload'>): void {
  let timer: ReturnType<typeof setTimeout>;
  const follow = ({ target }: Event): void => {
    clearTimeout(timer);
    const link = target instanceof Element ? target.closest('a') : null;
    if (link?.origin === location.origin) timer = setTimeout(() => preload(link.pathname), INTENT_MS);
  };
  addEventListener('pointerover', follow, { passive: true });
  addEventListener('focusin', follow);
}
