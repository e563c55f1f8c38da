import { useSyncExternalStore } from 'react';

const changed = 'gatebook:location';

/** Navigates between handler pages without reloading the document; other URLs are loaded by the browser. */
export function navigateWithin(handler: string): (url: string, options: { replace: boolean }) => void {
  return (url, { replace }) => {
    const target = new URL(url, location.href);
    const isWithin = target.origin === location.origin && target.pathname.startsWith(`${handler}/`);
    if (!isWithin) {
      if (replace) location.replace(url);
      else location.assign(url);
      return;
    }
    if (replace) history.replaceState(null, '', url);
    else history.pushState(null, '', url);
    dispatchEvent(new Event(changed));
    scrollTo(0, 0);
  };
}

/** The current URL; renders again when it changes. Null on a server and while the browser hydrates its page. */
export function usePageUrl(): string | null {
  return useSyncExternalStore(
    subscribe,
    () => location.href,
    () => null,
  );
}

function subscribe(listener: () => void): () => void {
  for (const name of ['popstate', 'hashchange', changed]) addEventListener(name, listener);
  return () => {
    for (const name of ['popstate', 'hashchange', changed]) removeEventListener(name, listener);
  };
}
