import { deletedNewerCookies, readTokenCookies, tokenCookies } from './cookies.ts';
import type { StoredTokens, TokenStore } from './store.ts';

/** How often to check the cookies for sign-ins and sign-outs in other tabs (protocol, client §5.2). */
const POLL_MS = 100;

type Page = { cookie: string };

/** Stores tokens in cookies, with the names and format of all 2.8.x clients. */
export function createBrowserTokenStore(
  projectId: string,
  page: Page = document,
  isHttps = isSecurePage(),
): TokenStore {
  let current: StoredTokens = readTokenCookies(page.cookie, projectId);
  let lastText = page.cookie;
  const listeners = new Set<() => void>();
  let timer: ReturnType<typeof setInterval> | undefined;

  const notify = (): void => {
    for (const listener of [...listeners]) listener();
  };

  const poll = (): void => {
    if (page.cookie === lastText) return;
    lastText = page.cookie;
    const found = readTokenCookies(lastText, projectId);
    const isSameSession = found.refreshToken === current.refreshToken;
    const next = isSameSession && found.accessToken === null ? current : found;
    if (isSameSession && next.accessToken === current.accessToken) return;
    current = next;
    queueMicrotask(notify); // A reader must not be called back while it reads.
  };

  return {
    read: () => {
      poll();
      return current;
    },
    write: (tokens) => {
      current = tokens;
      const hostname = globalThis.location?.hostname ?? '';
      for (const text of deletedNewerCookies(page.cookie, projectId, hostname)) page.cookie = text;
      for (const text of tokenCookies(tokens, projectId, isHttps)) page.cookie = text;
      lastText = page.cookie;
      notify();
    },
    subscribe: (listener) => {
      listeners.add(listener);
      timer ??= setInterval(poll, POLL_MS);
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
