import type { ProjectConfig } from './config.ts';
import { hasWildcard, matchesHost } from './trusted-domains.ts';

export type TrustRules = Pick<ProjectConfig, 'allowLocalhost'> & { domains: Readonly<ProjectConfig['domains']> };

/** Schemes whose URL is itself executed or shown instead of naming a location. Not allowed even as a trusted domain. */
const unsafeSchemes = new Set(['javascript:', 'data:', 'vbscript:', 'blob:', 'file:', 'about:']);
/**
 * Schemes allowed for localhost. Any other scheme would be opened by whatever program handles it, and `intent:` even
 * lets the URL choose the program. Apps list their own schemes among the trusted domains.
 */
const webSchemes = new Set(['http:', 'https:']);

/**
 * Whether users may be redirected to this absolute URL with a code (protocol, auth §0.5; stricter than Stack Auth: the
 * port counts, user info is rejected, the path of a domain ends at a segment). Localhost may have any port and path,
 * over HTTP or HTTPS.
 */
export function isTrustedUrl(text: string, { allowLocalhost, domains }: TrustRules): boolean {
  const url = parseUrl(text);
  if (url === null || url.username !== '' || url.password !== '' || unsafeSchemes.has(url.protocol)) return false;
  if (allowLocalhost && isLocalhost(url.hostname) && webSchemes.has(url.protocol)) return true;
  return domains.some(({ domain }) => {
    const trusted = parseUrl(domain);
    return trusted !== null && isSameOrigin(url, trusted) && isBelow(url.pathname, trusted.pathname);
  });
}

/**
 * The host name of an origin where passkeys of a project can be used: localhost itself, or the origin of a trusted
 * domain that has no path. Null for any other (protocol, auth §5.2).
 */
export function trustedPasskeyHost(origin: string, { allowLocalhost, domains }: TrustRules): string | null {
  const url = parseUrl(origin);
  if (url === null || url.origin !== origin || !webSchemes.has(url.protocol)) return null;
  // Subdomains and addresses do not count: a passkey is bound to one host name, and addresses are none.
  if (url.hostname === 'localhost') return allowLocalhost ? url.hostname : null;
  const isTrusted = domains.some(({ domain }) => {
    if (!hasWildcard(domain)) return domain === origin;
    const trusted = parseUrl(domain);
    return trusted?.origin === domain && isSameOrigin(url, trusted);
  });
  return isTrusted ? url.hostname : null;
}

/** The name `localhost`, its subdomains and IPv4 loopback, but not `[::1]`, which the protocol excludes. */
export function isLocalhost(hostname: string): boolean {
  const isName = hostname === 'localhost' || hostname.endsWith('.localhost');
  return isName || /^127(\.\d{1,3}){3}$/.test(hostname);
}

/** Custom schemes of apps have no origin and are compared by scheme, host and port. */
function isSameOrigin(url: URL, trusted: URL): boolean {
  if (url.protocol !== trusted.protocol || url.port !== trusted.port || url.host === '') return false;
  if (!webSchemes.has(url.protocol)) return url.hostname === trusted.hostname;
  return matchesHost(url.hostname, trusted.hostname);
}

function isBelow(path: string, base: string): boolean {
  return base === '/' || base === '' || path === base || path.startsWith(base.endsWith('/') ? base : `${base}/`);
}

function parseUrl(text: string): URL | null {
  // Browsers strip these characters before parsing, other parsers do not.
  if (/[\s\\]/.test(text)) return null;
  return URL.parse(text);
}
