/** For `proxy.ts`, which is called `middleware.ts` before Next.js 16. */
import {
  createMemoryTokenStore,
  type GatebookClientApp,
  gatebookInternals,
  type StoredTokens,
  type UrlName,
  type Urls,
} from '@gatebook/js';
import { returnParameter } from '@gatebook/js/core';
import { deletedNewerCookies, readTokenCookies, tokenCookies } from '@gatebook/js/server';
import { type AuthenticatedUser, createTokenVerifier, InvalidTokenError } from '@gatebook/node';
import { NextResponse } from 'next/server';

export type GatebookProxyOptions = {
  /** Paths for signed-in users, with all below them, or a function that decides. Pages for signing in are open. */
  protect?: readonly string[] | ((request: Request) => boolean);
  /** The public URL of Gatebook, which access tokens name as their issuer, if browsers use another one. */
  publicUrl?: string;
};
type App = Pick<GatebookClientApp, typeof gatebookInternals>;

/** Next.js lets shared caches store static pages. They must not hand these, or their cookies, to other visitors. */
const uncached = 'private, no-cache, no-store, max-age=0, must-revalidate';

/**
 * Renews access tokens before Server Components are rendered, which cannot write cookies, and redirects visitors of
 * protected paths to the sign-in page and back. Signatures are verified; an ended session is noticed by `getUser`.
 */
export function createGatebookProxy(
  app: App,
  options: GatebookProxyOptions = {},
): (request: Request) => Promise<Response> {
  const { server, urls } = app[gatebookInternals];
  const renew = createRenewal(app);
  const findUser = userOf(app, options.publicUrl);
  return async (request) => {
    const isProtected = isProtectedBy(options.protect, urls, request);
    const stored = readTokenCookies(request.headers.get('cookie') ?? '', server.projectId);
    const current = await renew(stored).catch((error: unknown) => {
      if (isProtected) throw error;
      return stored;
    });
    const isChanged = current.accessToken !== stored.accessToken || current.refreshToken !== stored.refreshToken;
    const cookies = isChanged ? changedCookies(request, current, server.projectId) : [];
    const user = isProtected ? await findUser(current) : null;
    const isAllowed = !isProtected || (user !== null && !user.isAnonymous && user.restrictedReason === null);
    const response = isAllowed
      ? forward(request, cookies)
      : reject(request, user?.isAnonymous === false ? urls.onboarding : urls.signIn);
    for (const cookie of cookies) response.headers.append('set-cookie', cookie);
    if (isProtected || isChanged) response.headers.set('cache-control', uncached);
    return response;
  };
}

/** A browser sends many requests with the same cookies, of which a server begins some after the first is answered. */
const RENEWAL_LASTS_MS = 10_000;
/** Anybody can send requests with new cookies. */
const MAX_RENEWALS = 1_000;

/** One refresh for the requests of a browser with the same tokens, or the same refresh token and no access token. */
function createRenewal(app: App): (stored: StoredTokens) => Promise<StoredTokens> {
  /** By a hash of the tokens before, oldest first. */
  const renewals = new Map<string, { tokens: Promise<StoredTokens>; until: number }>();
  const renew = async (stored: StoredTokens): Promise<StoredTokens> => {
    const tokenStore = createMemoryTokenStore(stored);
    await app[gatebookInternals].connectionOf({ tokenStore }).session.tokens();
    return tokenStore.read();
  };
  return async (stored) => {
    if (stored.refreshToken === null) return stored;
    const key = await hashOf(stored);
    const now = Date.now();
    const known = renewals.get(key);
    if (known && known.until > now) return known.tokens;
    for (const [oldest, { until }] of renewals) {
      if (until > now && renewals.size < MAX_RENEWALS) break;
      renewals.delete(oldest);
    }
    const tokens = renew(stored);
    const renewal = { tokens, until: now + RENEWAL_LASTS_MS };
    renewals.set(key, renewal);
    const forget = () => void (renewals.get(key) === renewal && renewals.delete(key));
    tokens.then(({ accessToken }) => accessToken === stored.accessToken && forget(), forget);
    return tokens;
  };
}

async function hashOf({ refreshToken, accessToken }: StoredTokens): Promise<string> {
  const text = new TextEncoder().encode(JSON.stringify([refreshToken, accessToken]));
  return new Uint8Array(await crypto.subtle.digest('SHA-256', text)).join();
}

function userOf(app: App, publicUrl?: string): (tokens: StoredTokens) => Promise<AuthenticatedUser | null> {
  const { server, toClientJson } = app[gatebookInternals];
  const verify = createTokenVerifier({ ...server, publicUrl: publicUrl ?? toClientJson().baseUrl });
  return async ({ accessToken }) => {
    if (accessToken === null) return null;
    try {
      return await verify(accessToken);
    } catch (error) {
      if (error instanceof InvalidTokenError) return null;
      throw error;
    }
  };
}

/** Pages that people need before they are signed in, wherever the app has them. */
const openPages: readonly UrlName[] = [
  ...(['signIn', 'signUp', 'signOut', 'forgotPassword', 'passwordReset', 'emailVerification', 'mfa'] as const),
  ...(['oauthCallback', 'magicLinkCallback', 'teamInvitation', 'cliAuthConfirm', 'onboarding', 'error'] as const),
];

function isProtectedBy(protect: GatebookProxyOptions['protect'] = [], urls: Urls, request: Request): boolean {
  const { pathname } = new URL(request.url);
  const decoded = decodePath(pathname);
  const isBelow = (path: string, asked = pathname) => asked === path || asked.startsWith(`${path.replace(/\/$/, '')}/`);
  const pathOf = (name: UrlName) => new URL(urls[name], request.url).pathname;
  if (isBelow(pathOf('handler')) || openPages.some((name) => pathOf(name) === pathname)) return false;
  if (typeof protect === 'function') return protect(request);
  return protect.some((path) => isBelow(path) || isBelow(path, decoded));
}

/** Next.js serves `/%61ccount` as `/account`. */
function decodePath(pathname: string): string {
  try {
    return decodeURIComponent(pathname);
  } catch {
    return pathname;
  }
}

function changedCookies(request: Request, tokens: StoredTokens, projectId: string): string[] {
  const url = new URL(request.url);
  const isHttps = (request.headers.get('x-forwarded-proto') ?? url.protocol).startsWith('https');
  const newer = deletedNewerCookies(request.headers.get('cookie') ?? '', projectId, url.hostname);
  return [...newer, ...tokenCookies(tokens, projectId, isHttps)];
}

/** Server Components see the cookies of the response. */
function forward(request: Request, cookies: readonly string[]): Response {
  if (cookies.length === 0) return NextResponse.next();
  const changed = new Map(cookies.map((cookie) => [cookie.slice(0, cookie.indexOf('=')), cookie.split(';')[0] ?? '']));
  const kept = (request.headers.get('cookie') ?? '')
    .split('; ')
    .filter((pair) => !changed.has(pair.slice(0, pair.indexOf('='))));
  const set = [...changed.values()].filter((pair) => !pair.endsWith('='));
  const headers = new Headers(request.headers);
  headers.set('cookie', [...kept, ...set].join('; '));
  return NextResponse.next({ request: { headers } });
}

/**
 * Pages lead to another page and back; calls of programs fail. The router of Next.js looks like a program here, because
 * Next.js removes the header `rsc`; after a failure it loads the page.
 */
function reject(request: Request, target: string): Response {
  const isPage = (request.headers.get('accept') ?? '').includes('text/html');
  if (!isPage || !['GET', 'HEAD'].includes(request.method))
    return NextResponse.json({ error: 'This request requires a signed-in user.' }, { status: 401 });
  const here = new URL(request.url);
  const url = new URL(target, here);
  url.searchParams.set(returnParameter, `${here.pathname}${here.search}`);
  return NextResponse.redirect(url);
}
