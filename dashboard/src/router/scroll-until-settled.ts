/** How long parts of a page that are loaded late can still move the others. */
const SETTLES_MS = 10_000;

/** Scrolls again whenever the page changes, until it settles or somebody acts. @returns a function that ends it */
export function scrollUntilSettled(scroll: () => void): () => void {
  const observer = new MutationObserver(scroll);
  const stop = (): void => observer.disconnect();
  const startedAt = performance.now();
  // The event that opened the page can still be on its way to the document.
  const stopAfterStart = ({ timeStamp }: Event): void => {
    if (timeStamp > startedAt) stop();
  };
  const acts = ['wheel', 'touchstart', 'pointerdown', 'keydown'] as const;
  observer.observe(document.body, { childList: true, subtree: true });
  scroll();
  const timer = setTimeout(stop, SETTLES_MS);
  for (const act of acts) document.addEventListener(act, stopAfterStart, { passive: true });
  return () => {
    stop();
    clearTimeout(timer);
    for (const act of acts) document.removeEventListener(act, stopAfterStart);
  };
}
