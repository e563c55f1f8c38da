import { cookieText, parseCookies } from '../token-store/cookies.ts';

/** The part of the browser that a sign-in at a provider needs; tests put their own in place. */
export type OAuthPage = {
  readonly href: string;
  cookie: string;
  assign(url: string): void;
  /** Changes the address in place, without loading anything. */
  rewrite(url: string): void;
};

/** @throws Error outside of a browser */
export function browserPage(): OAuthPage {
  if (!globalThis.document) throw new Error('signing in at a provider needs a browser');
  return {
    get href() {
      return location.href;
    },
    get cookie() {
      return document.cookie;
    },
    set cookie(text) {
      // biome-ignore lint/suspicious/noDocumentCookie: it is taken in the same turn (client.md §12.4), the Cookie Store API answers later
      document.cookie = text;
    },
    assign: (url) => location.assign(url),
    rewrite: (url) => history.replaceState(history.state, '', url),
  };
}

/** An hour: as long as somebody may take at a provider (client.md §5.1). */
const LIFE_SECONDS = 3_600;
const cookieName = (state: string) => `stack-oauth-outer-${state}`;

export function storeVerifier(page: OAuthPage, state: string, verifier: string): void {
  page.cookie = cookieText(cookieName(state), verifier, LIFE_SECONDS, isHttps(page));
}

/** Whoever takes it is the only one who can: null for everybody after. */
export function takeVerifier(page: OAuthPage, state: string): string | null {
  const verifier = parseCookies(page.cookie).get(cookieName(state)) ?? null;
  if (verifier !== null) page.cookie = cookieText(cookieName(state), null, 0, isHttps(page));
  return verifier;
}

function isHttps(page: OAuthPage): boolean {
  return page.href.startsWith('https:');
}
