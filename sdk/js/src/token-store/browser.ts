import { readTokenCookies, tokenCookies } from './cookies.ts';
import type { StoredTokens, TokenStore } from './store.ts';

/** How often the cookies are looked at for sign-ins and sign-outs of other tabs (client.md §5.2). */
const POLL_MS = 100;

type Page = { cookie: string };

/** Tokens in the page's cookies, under the names and in the form of every 2.8.x client. */
export function createBrowserTokenStore(
  projectId: string,
  page: Page = document,
  isHttps = isSecurePage(),
): TokenStore {
  let held: StoredTokens = readTokenCookies(page.cookie, projectId);
  let lastText = page.cookie;
  const listeners = new Set<() => void>();
  let timer: ReturnType<typeof setInterval> | undefined;

  const notify = (): void => {
    for (const listener of [...listeners]) listener();
  };

  const look = (): void => {
    if (page.cookie === lastText) return;
    lastText = page.cookie;
    const found = readTokenCookies(lastText, projectId);
    const isSameSession = found.refreshToken === held.refreshToken;
    const next = isSameSession && found.accessToken === null ? held : found;
    if (isSameSession && next.accessToken === held.accessToken) return;
    held = next;
    queueMicrotask(notify); // a reader must not be called back in the middle of its reading
  };

  return {
    read: () => {
      look();
      return held;
    },
    write: (tokens) => {
      held = tokens;
      for (const text of tokenCookies(tokens, projectId, isHttps)) page.cookie = text;
      lastText = page.cookie;
      notify();
    },
    subscribe: (listener) => {
      listeners.add(listener);
      timer ??= setInterval(look, POLL_MS);
      return () => {
        listeners.delete(listener);
        if (listeners.size > 0) return;
        clearInterval(timer);
        timer = undefined;
      };
    },
  };
}

function isSecurePage(): boolean {
  return globalThis.location?.protocol === 'https:';
}
