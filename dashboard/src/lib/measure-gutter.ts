/**
 * Says in `--gb-gutter` how wide the space is that pages leave for the scroll bar. While a dialog is open, its overlay
 * covers that space, and the page keeps its place.
 */
export function measureGutter(): void {
  const root = document.documentElement;
  const measure = (): void => {
    if (document.body.hasAttribute('data-scroll-locked')) return;
    root.style.setProperty('--gb-gutter', `${innerWidth - root.getBoundingClientRect().width}px`);
  };
  measure();
  addEventListener('resize', measure);
}
