import { createContext, type MouseEvent, useContext } from 'react';

/** How pages move; the router stands behind it, and tests look at what was asked for. */
export type Navigation = { go(href: string, options?: { replace?: boolean }): void };

export const NavigationContext = createContext<Navigation>({ go: (href) => globalThis.location.assign(href) });

export function useNavigation(): Navigation {
  return useContext(NavigationContext);
}

/** Left to the browser: new tabs, new windows, downloads. */
export function isPlainClick(event: MouseEvent): boolean {
  return event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
}
