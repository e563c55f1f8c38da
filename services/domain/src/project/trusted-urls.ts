import type { ProjectConfig } from './config.ts';

export type TrustRules = Pick<ProjectConfig, 'allowLocalhost' | 'domains'>;

/** Schemes that run or show what the address itself says, instead of going to where it points: not even as a trusted domain. */
const unsafeSchemes = new Set(['javascript:', 'data:', 'vbscript:', 'blob:', 'file:', 'about:']);
/**
 * Those of localhost. Any other would be opened by whatever program reservations it, and with `intent:` or the like by one that the address
 * names: an app with a scheme of its own has it among the trusted domains.
 */
const localSchemes = new Set(['http:', 'https:']);

/**
 * Whether people may be sent to this absolute URL with a code in it (protocol, auth §0.5, stricter by security 31: the port
 * counts, user info is rejected, a domain's path ends at a segment). Localhost may have any port and
 * path, over HTTP or HTTPS.
 */
export function isTrustedUrl(text: string, { allowLocalhost, domains }: TrustRules): boolean {
  const url = parsed(text);
  if (url === null || url.username !== '' || url.password !== '' || unsafeSchemes.has(url.protocol)) return false;
  if (allowLocalhost && isLocalhost(url.hostname) && localSchemes.has(url.protocol)) return true;
  return domains.some(({ domain }) => {
    const trusted = parsed(domain);
    return trusted !== null && isSameOrigin(url, trusted) && isBelow(url.pathname, trusted.pathname);
  });
}

/** The name `localhost`, names below it, and IPv4 loopback; not `[::1]`, which the protocol leaves out. */
export function isLocalhost(hostname: string): boolean {
  const isName = hostname === 'localhost' || hostname.endsWith('.localhost');
  return isName || /^127(\.\d{1,3}){3}$/.test(hostname);
}

/** Schemes without origins of their own, as apps register them, are compared by name and host. */
function isSameOrigin(url: URL, trusted: URL): boolean {
  return url.protocol === trusted.protocol && url.host === trusted.host && url.host !== '';
}

function isBelow(path: string, base: string): boolean {
  return base === '/' || base === '' || path === base || path.startsWith(base.endsWith('/') ? base : `${base}/`);
}

function parsed(text: string): URL | null {
  // Browsers drop these before they parse, other readers do not.
  if (/[\s\\]/.test(text)) return null;
  return URL.parse(text);
}
