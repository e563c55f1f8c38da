import { sha256 } from '@gatebook/runtime/hash';

/** Where a session was started from, as in its event; both null once the user is erased. */
export type SignInOrigin = { ip: string | null; userAgent: string | null };

/** The first match wins, because most browsers also name their ancestors. */
const browsers: readonly (readonly [string, RegExp])[] = [
  ['Edge', /\bEdg(?:e|A|iOS)?\//],
  ['Opera', /\b(?:OPR|Opera)\//],
  ['Samsung Internet', /\bSamsungBrowser\//],
  ['Firefox', /\b(?:Firefox|FxiOS)\//],
  ['Chrome', /\b(?:Chrome|Chromium|CriOS|HeadlessChrome)\//],
  ['Safari', /\bSafari\//],
];
const systems: readonly (readonly [string, RegExp])[] = [
  ['iOS', /\b(?:iPhone|iPad|iPod)\b/],
  ['Android', /\bAndroid\b/],
  ['Windows', /\bWindows\b/],
  ['macOS', /\bMac OS X\b/],
  ['ChromeOS', /\bCrOS\b/],
  ['Linux', /\bLinux\b/],
];

/** Browser and operating system, each null if unknown. Without versions, so that an update is not a new device. */
export function parseDevice(userAgent: string | null): { browser: string | null; system: string | null } {
  const find = (names: typeof browsers) => names.find(([, pattern]) => pattern.test(userAgent ?? ''))?.[0] ?? null;
  return { browser: find(browsers), system: find(systems) };
}

/** A device as text: `Chrome on Windows`. */
export function nameDevice(userAgent: string | null): string {
  const { browser, system } = parseDevice(userAgent);
  return `${browser ?? 'Unknown browser'} on ${system ?? 'unknown system'}`;
}

const unknownDevice = nameDevice(null);

/** The same; null if nothing is known, as of programs. */
export function knownDevice(userAgent: string | null): string | null {
  const device = nameDevice(userAgent);
  return device === unknownDevice ? null : device;
}

/**
 * A fingerprint of the browser and its network (IPv4: /24, IPv6: /48, because addresses change daily within these).
 * @returns 22 characters of base64url; null if the browser's address is unknown, which says nothing about the device
 */
export function deviceOf({ ip, userAgent }: SignInOrigin): string | null {
  if (ip === null || userAgent === null) return null;
  return sha256(JSON.stringify([nameDevice(userAgent), prefixOf(ip)])).slice(0, 22);
}

function prefixOf(ip: string): string {
  const bare = ip.toLowerCase().replace(/^::ffff:(?=.*\.)/, '');
  return bare.includes(':') ? ipv6Groups(bare).slice(0, 3).join(':') : bare.split('.').slice(0, 3).join('.');
}

/** The network of an address (IPv4: /24, IPv6: /48), such as `203.0.113.0/24`. */
export function subnetOf(ip: string): string {
  const prefix = prefixOf(ip);
  return prefix.includes(':') ? `${prefix}::/48` : `${prefix}.0/24`;
}

/** The eight groups of an IPv6 address, without leading zeros. */
export function ipv6Groups(address: string): string[] {
  const [head = '', tail] = address.split('::', 2);
  const groupsOf = (text: string | undefined) => (text ? text.split(':') : []);
  const [before, after] = [groupsOf(head), groupsOf(tail)];
  const zeros =
    tail === undefined ? [] : Array.from({ length: Math.max(0, 8 - before.length - after.length) }, () => '0');
  return [...before, ...zeros, ...after].map((group) => group.replace(/^0+(?=.)/, ''));
}
