import type { StoredTokens } from './store.ts';

const YEAR_SECONDS = 31_536_000;
const DAY_SECONDS = 86_400;
const oldRefreshName = 'stack-refresh';
const accessName = 'stack-access';

/** Reads both tokens from the text of `document.cookie`, or of a `cookie` header (protocol, client §5.1). */
export function readTokenCookies(cookieText: string, projectId: string): StoredTokens {
  const cookies = parseCookies(cookieText);
  const refreshToken = cookies.get(`stack-refresh-${projectId}`) ?? cookies.get(oldRefreshName) ?? null;
  return { refreshToken, accessToken: readAccessCookie(cookies.get(accessName), refreshToken) };
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
