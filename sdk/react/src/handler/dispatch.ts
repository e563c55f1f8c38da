import type { UrlName, Urls } from '@gatebook/js/core';

/** The handler's pages with the entry of the URL table that can replace each page (protocol, client §3.1). */
const entries = {
  'sign-in': 'signIn',
  'sign-up': 'signUp',
  'sign-out': 'signOut',
  'email-verification': 'emailVerification',
  'password-reset': 'passwordReset',
  'forgot-password': 'forgotPassword',
  'oauth-callback': 'oauthCallback',
  'magic-link-callback': 'magicLinkCallback',
  'team-invitation': 'teamInvitation',
  'account-settings': null,
  'cli-auth-confirm': null,
  impersonation: null,
  mfa: 'mfa',
  onboarding: 'onboarding',
  'report-activity': null,
  unsubscribe: null,
  error: null,
} as const satisfies Record<string, UrlName | null>;
export type PageName = keyof typeof entries;

export const pageNames = Object.keys(entries) as PageName[];
const aliases: Readonly<Record<string, PageName>> = {
  login: 'sign-in',
  register: 'sign-up',
  ...Object.fromEntries(pageNames.filter((name) => name.includes('-')).map((name) => [name.replaceAll('-', ''), name])),
};

export type Dispatch = { page: PageName } | { redirectTo: string } | { page: 'not-found' };

/** Finds the page for a URL below the handler. Keeps the query. */
export function dispatch(urls: Urls, url: URL): Dispatch {
  const handler = new URL(urls.handler, url).pathname.replace(/\/$/, '');
  const path = (url.pathname.startsWith(handler) ? url.pathname.slice(handler.length) : url.pathname).replace(
    /^\/+/,
    '',
  );
  const name = pageNames.find((known) => known === path);
  if (name === undefined) {
    const alias = Object.hasOwn(aliases, path) ? aliases[path] : undefined;
    return alias === undefined ? { page: 'not-found' } : { redirectTo: `${handler}/${alias}${url.search}` };
  }
  const entry = entries[name];
  if (entry === null || urls[entry].startsWith(`${urls.handler}/`)) return { page: name };
  return { redirectTo: withQuery(urls[entry], url) };
}

/** The entry's path, query and hash, plus the current query parameters. */
function withQuery(entry: string, here: URL): string {
  const target = new URL(entry, here);
  for (const [key, value] of here.searchParams) target.searchParams.set(key, value);
  return `${target.pathname}${target.search}${target.hash}`;
}
