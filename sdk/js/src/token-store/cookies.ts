import type { StoredTokens } from './store.ts';

const YEAR_SECONDS = 31_536_000;
const DAY_SECONDS = 86_400;
const oldRefreshName = 'stack-refresh';
const accessName = 'stack-access';

const newerAccessName = 'hexclave-access';

/**
 * Reads both tokens from the text of `document.cookie`, or of a `cookie` header, as every 2.8 client writes them
 * (protocol, client §5.1 and §A.2).
 */
export function readTokenCookies(cookieText: string, projectId: string): StoredTokens {
  const cookies = parseCookies(cookieText);
  const newest = newerRefreshNames(cookies.keys(), projectId)
    .map((name) => readNewerRefresh(cookies.get(name)))
    .reduce((best, one) => (one.updatedAt > best.updatedAt ? one : best), { token: null, updatedAt: -1 });
  const refreshToken = newest.token ?? cookies.get(`stack-refresh-${projectId}`) ?? cookies.get(oldRefreshName) ?? null;
  const accessToken =
    readAccessCookie(cookies.get(newerAccessName), refreshToken) ??
    readAccessCookie(cookies.get(accessName), refreshToken);
  return { refreshToken, accessToken };
}

/** For this host, or a copy for its parent domains. */
const newerRefreshNames = (names: Iterable<string>, projectId: string): string[] =>
  [...names].filter((name) => {
    const [, ofProject] = /^(?:__Host-)?(?:stack|hexclave)-refresh-(.+)--(?:default|custom-.+)$/.exec(name) ?? [];
    return ofProject === projectId;
  });

function readNewerRefresh(value: string | undefined): { token: string | null; updatedAt: number } {
  try {
    const { refresh_token: token, updated_at_millis: updatedAt } = JSON.parse(value ?? '');
    if (typeof token === 'string' && token !== '') return { token, updatedAt: Number(updatedAt) || 0 };
  } catch {
    // Not written by a client.
  }
  return { token: null, updatedAt: -1 };
}

/** Deletes what newer clients wrote, in every form in which they set cookies. Otherwise it would win over ours. */
export function deletedNewerCookies(cookieText: string, projectId: string, hostname: string): string[] {
  const names = [...parseCookies(cookieText).keys()];
  const found = [...newerRefreshNames(names, projectId), ...names.filter((name) => name === newerAccessName)];
  const labels = hostname.split('.');
  const domains = labels.slice(1).map((_, index) => `; Domain=${labels.slice(index).join('.')}`);
  const forms = [
    '',
    '; Secure',
    '; SameSite=None; Secure; Partitioned',
    ...domains,
    ...domains.map((d) => `${d}; Secure`),
  ];
  return found.flatMap((name) => forms.map((form) => `${name}=; Path=/; Max-Age=0${form}`));
}

/** Assignments to `document.cookie`, in order. A null token deletes its cookie. The old name is always deleted. */
export function tokenCookies(
  { accessToken, refreshToken }: StoredTokens,
  projectId: string,
  isHttps: boolean,
): string[] {
  const access = accessToken === null ? null : JSON.stringify([refreshToken, accessToken]);
  return [
    cookieText(`stack-refresh-${projectId}`, refreshToken, YEAR_SECONDS, isHttps),
    cookieText(accessName, access, DAY_SECONDS, isHttps),
    cookieText(oldRefreshName, null, 0, isHttps),
  ];
}

/** An assignment to `document.cookie`; null deletes the cookie. */
export function cookieText(name: string, value: string | null, maxAgeSeconds: number, isHttps: boolean): string {
  const life = `Max-Age=${value === null ? 0 : maxAgeSeconds}`;
  return [
    `${name}=${encodeURIComponent(value ?? '')}`,
    'Path=/',
    life,
    'SameSite=Lax',
    ...(isHttps ? ['Secure'] : []),
  ].join('; ');
}

/** All projects of a domain share the access cookie, so it is valid only with the refresh token it was issued with. */
function readAccessCookie(value: string | undefined, refreshToken: string | null): string | null {
  if (!value?.startsWith('["') || refreshToken === null) return null;
  try {
    const [owner, accessToken] = JSON.parse(value);
    return owner === refreshToken && typeof accessToken === 'string' ? accessToken : null;
  } catch {
    return null;
  }
}

export function parseCookies(text: string): Map<string, string> {
  const cookies = new Map<string, string>();
  for (const part of text.split(';')) {
    const cut = part.indexOf('=');
    const value = part.slice(cut + 1).trim();
    if (cut > 0 && value !== '') cookies.set(part.slice(0, cut).trim(), decoded(value));
  }
  return cookies;
}

function decoded(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}
