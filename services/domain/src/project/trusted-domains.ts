/**
 * Wildcards in the host name of a trusted domain (protocol, auth §0.5): `*` stands for one label or a part of it, `**`
 * for one label or more.
 */
const wildcardLabel = /^(\*\*|[a-z0-9-]*\*[a-z0-9-]*)$/;
const plainLabel = /^[a-z0-9_-]+$/;

const faults = {
  scheme: 'must begin with http:// or https://',
  place: 'must have wildcards only in the host name',
  port: 'must not have a wildcard as the port',
  wildcard:
    'has an invalid wildcard: the last two labels must not contain one; before them, a label can be ** (once) or contain one *, as in https://*.example.com or https://app-*.example.com',
  url: 'must be an absolute URL without spaces',
} as const;
export type TrustedDomainFault = keyof typeof faults;

/** Why this text can't be stored as a trusted domain; null if it can. */
export function trustedDomainFault(domain: string): string | null {
  const fault = findTrustedDomainFault(domain);
  return fault === null ? null : faults[fault];
}

export function findTrustedDomainFault(domain: string): TrustedDomainFault | null {
  const [, authority, rest] = /^https?:\/\/([^/?#\\]*)(.*)$/s.exec(domain) ?? [];
  if (authority === undefined || rest === undefined) return 'scheme';
  if (hasWildcard(domain)) {
    if (rest.includes('*') || authority.includes('@')) return 'place';
    const [host = '', port = ''] = authority.split(':');
    if (port.includes('*')) return 'port';
    if (!isWildcardHost(host.toLowerCase())) return 'wildcard';
  }
  return /\s/.test(domain) || !URL.canParse(domain) ? 'url' : null;
}

/** Whether a trusted domain can stand for several hosts. No link can be built to it. */
export const hasWildcard = (domain: string): boolean =>
  // A URL parser decodes an escaped or full-width star.
  domain.includes('*') || (URL.parse(domain)?.hostname.includes('*') ?? false);

/** Whether the host name of a URL is the host name of a trusted domain, or one of those its wildcards stand for. */
export function matchesHost(hostname: string, trusted: string): boolean {
  if (!trusted.includes('*')) return hostname === trusted;
  if (!isWildcardHost(trusted)) return false;
  const labels = hostname.split('.');
  const pattern = trusted.split('.');
  if (!labels.every((label) => plainLabel.test(label))) return false;
  const open = pattern.indexOf('**');
  if (open < 0) return matchesLabels(labels, pattern);
  const after = pattern.length - open - 1;
  if (labels.length < pattern.length) return false;
  return (
    matchesLabels(labels.slice(0, open), pattern.slice(0, open)) &&
    matchesLabels(labels.slice(labels.length - after), pattern.slice(open + 1))
  );
}

/** The last two labels have no wildcard, because `*.com` would trust the hosts of strangers. */
function isWildcardHost(host: string): boolean {
  const labels = host.split('.');
  const [wild, complete] = [labels.slice(0, -2), labels.slice(-2)];
  const isUsable = (label: string) => (label.includes('*') ? wildcardLabel.test(label) : plainLabel.test(label));
  const areComplete = complete.every((label) => plainLabel.test(label)) && !/^\d+$/.test(complete.at(-1) ?? '');
  return wild.length > 0 && wild.every(isUsable) && areComplete && labels.filter((each) => each === '**').length < 2;
}

function matchesLabels(labels: readonly string[], pattern: readonly string[]): boolean {
  return labels.length === pattern.length && labels.every((label, index) => matchesLabel(label, pattern[index] ?? ''));
}

/** The star stands for one character or more. */
function matchesLabel(label: string, pattern: string): boolean {
  const [before, after] = pattern.split('*');
  if (before === undefined || after === undefined) return label === pattern;
  return label.length >= pattern.length && label.startsWith(before) && label.endsWith(after);
}
