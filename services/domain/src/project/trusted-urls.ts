import type { ProjectConfig } from './config.ts';

export type TrustRules = Pick<ProjectConfig, 'allowLocalhost' | 'domains'>;

/** Schemes whose URL is itself executed or shown instead of naming a location. Not allowed even as a trusted domain. */
const unsafeSchemes = new Set(['javascript:', 'data:', 'vbscript:', 'blob:', 'file:', 'about:']);
/**
 * Schemes allowed for localhost. Any other scheme would be opened by whatever program handles it, and `intent:` even
 * lets the URL choose the program. Apps list their own schemes among the trusted domains.
 */
const localSchemes = new Set(['http:', 'https:']);

/**
 * Whether users may be redirected to this absolute URL with a code (protocol, auth §0.5; stricter than Stack Auth: the
 * port counts, user info is rejected, the path of a domain ends at a segment). Localhost may have any port and path,
 * over HTTP or HTTPS.
 */
export function isTrustedUrl(text: string, { allowLocalhost, domains }: TrustRules): boolean {
  const url = parseUrl(text);
  if (url === null || url.username !== '' || url.password !== '' || unsafeSchemes.has(url.protocol)) return false;
  if (allowLocalhost && isLocalhost(url.hostname) && localSchemes.has(url.protocol)) return true;
  return domains.some(({ domain }) => {
    const trusted = parseUrl(domain);
    return trusted !== null && isSameOrigin(url, trusted) && isBelow(url.pathname, trusted.pathname);
  });
}

/** The name `localhost`, its subdomains and IPv4 loopback, but not `[::1]`, which the protocol excludes. */
export function isLocalhost(hostname: string): boolean {
  const isName = hostname === 'localhost' || hostname.endsWith('.localhost');
  return isName || /^127(\.\d{1,3}){3}$/.test(hostname);
}

/** Custom schemes of apps have no origin and are compared by scheme and host. */
function isSameOrigin(url: URL, trusted: URL): boolean {
  return url.protocol === trusted.protocol && url.host === trusted.host && url.host !== '';
}

function isBelow(path: string, base: string): boolean {
  return base === '/' || base === '' || path === base || path.startsWith(base.endsWith('/') ? base : `${base}/`);
}

function parseUrl(text: string): URL | null {
  // Browsers strip these characters before parsing, other parsers do not.
  if (/[\s\\]/.test(text)) return null;
  return URL.parse(text);
}
