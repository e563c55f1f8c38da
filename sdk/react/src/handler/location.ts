import { useSyncExternalStore } from 'react';

const changed = 'gatebook:location';

/** Moves between pages of the handler without loading the document again; everything else is the browser's. */
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

/** The address of the page, followed as it changes. */
export function usePageUrl(): string {
  return useSyncExternalStore(subscribe, () => location.href);
}

function subscribe(listener: () => void): () => void {
  for (const name of ['popstate', 'hashchange', changed]) addEventListener(name, listener);
  return () => {
    for (const name of ['popstate', 'hashchange', changed]) removeEventListener(name, listener);
  };
}
