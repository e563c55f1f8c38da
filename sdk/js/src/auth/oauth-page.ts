import { cookieText, parseCookies } from '../token-store/cookies.ts';

/** The part of the browser that OAuth sign-in uses; replaced in tests. */
export type OAuthPage = {
  readonly href: string;
  cookie: string;
  assign(url: string): void;
  /** Changes the URL without loading the page. */
  rewrite(url: string): void;
};

/** @throws Error outside of a browser */
export function browserPage(): OAuthPage {
  if (!globalThis.document) throw new Error('OAuth sign-in needs a browser.');
  return {
    get href() {
      return location.href;
    },
    get cookie() {
      return document.cookie;
    },
    set cookie(text) {
      // biome-ignore lint/suspicious/noDocumentCookie: must be synchronous (protocol, client §12.4)
      document.cookie = text;
    },
    assign: (url) => location.assign(url),
    rewrite: (url) => history.replaceState(history.state, '', url),
  };
}

/** One hour to finish at the provider (protocol, client §5.1). */
const LIFETIME_SECONDS = 3_600;
const cookieName = (state: string) => `stack-oauth-outer-${state}`;

export function storeVerifier(page: OAuthPage, state: string, verifier: string): void {
  page.cookie = cookieText(cookieName(state), verifier, LIFETIME_SECONDS, isHttps(page));
}

/** Returns the verifier once; null for every later caller. */
export function takeVerifier(page: OAuthPage, state: string): string | null {
  const verifier = parseCookies(page.cookie).get(cookieName(state)) ?? null;
  if (verifier !== null) page.cookie = cookieText(cookieName(state), null, 0, isHttps(page));
  return verifier;
}

function isHttps(page: OAuthPage): boolean {
  return page.href.startsWith('https:');
}
