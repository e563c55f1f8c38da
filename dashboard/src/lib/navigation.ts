import { createContext, type MouseEvent, useContext } from 'react';

/** How pages navigate: the router in the app, a recorder in tests. */
export type Navigation = {
  go(href: string, options?: { replace?: boolean }): void;
  /** The URL that a link leads to, which keeps the moment that pages show. */
  hrefOf(href: string): string;
};

export const NavigationContext = createContext<Navigation>({
  go: (href) => globalThis.location.assign(href),
  hrefOf: (href) => href,
});

export function useNavigation(): Navigation {
  return useContext(NavigationContext);
}

/** False for clicks that the browser handles itself: new tab, new window, download. */
export function isPlainClick(event: MouseEvent): boolean {
  return event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
}
