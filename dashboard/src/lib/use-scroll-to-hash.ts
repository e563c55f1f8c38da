import { useEffect } from 'react';

/** Scrolls to the element that the URL names, as soon as the page has it. */
export function useScrollToHash(hash: string): void {
  useEffect(() => {
    if (hash === '') return;
    const scroll = (): boolean => {
      const element = document.getElementById(hash);
      element?.scrollIntoView();
      return element !== null;
    };
    if (scroll()) return;
    const observer = new MutationObserver(() => {
      if (scroll()) observer.disconnect();
    });
    observer.observe(document.body, { childList: true, subtree: true });
    return () => observer.disconnect();
  }, [hash]);
}
