import dns, { type LookupAddress } from 'node:dns';
import { connect, isIP, type Socket, type TcpNetConnectOpts } from 'node:net';
import ipaddr from 'ipaddr.js';

type Address = ipaddr.IPv4 | ipaddr.IPv6;
type Network = readonly [Address, number];

/** Parses an IP address; `::ffff:0:0/96` becomes IPv4. Null when the text is not an address in standard notation. */
const parse = (text: string): Address | null => (ipaddr.isValid(text) ? ipaddr.process(text) : null);
const parseNetworks = (...texts: string[]): readonly Network[] =>
  texts.map((text) => {
    const [address, bits] = ipaddr.parseCIDR(text);
    return [address, bits] as const;
  });
const isIn = (address: Address, list: readonly Network[]) =>
  list.some(([network, bits]) => network.kind() === address.kind() && address.match(network, bits));

/** The only globally allocated IPv6 network (IANA IPv6 address space registry). */
const globalIpv6 = parseNetworks('2000::/3');
/** Networks that translate to an embedded IPv4 address: NAT64 (RFC 6052) and 6to4 (RFC 3056). */
const translated = parseNetworks('64:ff9b::/96', '2002::/16');
/** Azure's platform service for virtual machines has a public address. */
const cloudHost = parseNetworks('168.63.129.16/32');

/** Cloud metadata services, which hand out credentials, and link-local networks. No SMTP server is there. */
const forbidden = [
  ...cloudHost,
  ...parseNetworks('169.254.0.0/16', '100.100.100.200/32', '192.0.0.192/32'),
  ...parseNetworks('fe80::/10', 'fd00:ec2::254/128', 'fd20:ce::254/128'),
  // Local-use NAT64 (RFC 8215): the position of the IPv4 address is not fixed.
  ...parseNetworks('64:ff9b:1::/48'),
];

/** Whether connections to an IP address are forbidden even if private networks are allowed. */
export function isForbiddenAddress(text: string): boolean {
  const address = parse(text);
  return address === null || [address, ...embeddedIpv4(address)].some((each) => isIn(each, forbidden));
}

/** Whether an IP address is private, link-local or otherwise special (IANA special-purpose address registries). */
export function isPrivateAddress(text: string): boolean {
  const address = parse(text);
  if (address === null) return true;
  const inner = embeddedIpv4(address);
  const candidates = isIn(address, translated) ? inner : [address, ...inner];
  return candidates.some((each) => !isPublic(each));
}

function isPublic(address: Address): boolean {
  if (address.range() !== 'unicast' || isIn(address, cloudHost)) return false;
  return address.kind() === 'ipv4' || isIn(address, globalIpv6);
}

/** The IPv4 addresses embedded in an IPv6 address, in every format that a network or tunnel decodes. */
function embeddedIpv4(address: Address): readonly ipaddr.IPv4[] {
  if (!(address instanceof ipaddr.IPv6)) return [];
  const bytes = address.toByteArray();
  const ipv4At = (start: number, mask = 0) => new ipaddr.IPv4(bytes.slice(start, start + 4).map((byte) => byte ^ mask));
  if (isIn(address, parseNetworks('64:ff9b::/96', '::/96', '::ffff:0:0:0/96'))) return [ipv4At(12)];
  if (isIn(address, parseNetworks('2002::/16'))) return [ipv4At(2)];
  // Teredo (RFC 4380 §4): the server, and the client with inverted bits.
  if (isIn(address, parseNetworks('2001::/32'))) return [ipv4At(4), ipv4At(12, 0xff)];
  // ISATAP (RFC 5214 §6.1), with any prefix.
  const isIsatap = ((bytes[8] ?? 0) & ~0x02) === 0 && bytes[9] === 0 && bytes[10] === 0x5e && bytes[11] === 0xfe;
  return isIsatap ? [ipv4At(12)] : [];
}

export class PrivateHostError extends Error {
  readonly code = 'EPRIVATE';

  constructor(host: string) {
    super(`${host} is in a private network`);
    this.name = 'PrivateHostError';
  }
}

type Lookup = NonNullable<TcpNetConnectOpts['lookup']>;

/**
 * Resolves a name for a connection. All addresses are checked, and the connection uses one of them: resolving the name
 * again could give another address (DNS rebinding). Rejects link-local addresses and cloud metadata services always,
 * and private ones unless `allowPrivate`. Not called for hosts that are IP addresses: see `checkHost`.
 */
export const createPublicLookup =
  (allowPrivate: boolean): Lookup =>
  (name, options, done) =>
    dns.lookup(name, { ...options, all: true }, (error, addresses: LookupAddress[]) => {
      if (error) return done(error, []);
      const hasDisallowed = addresses.some(({ address }) => isDisallowed(address, allowPrivate));
      if (hasDisallowed) return done(new PrivateHostError(name), []);
      const [first] = addresses;
      return options.all || !first ? done(null, addresses) : done(null, first.address, first.family);
    });

/** For a host that is an IP address. @throws PrivateHostError */
export function checkHost(host: string, allowPrivate: boolean): void {
  if (isIP(host) !== 0 && isDisallowed(host, allowPrivate)) throw new PrivateHostError(host);
}

const isDisallowed = (address: string, allowPrivate: boolean) =>
  allowPrivate ? isForbiddenAddress(address) : isPrivateAddress(address);

/**
 * Connects to a public host, or to a private one if allowed; never to link-local addresses and cloud metadata services.
 * @throws PrivateHostError when any address of the host is not allowed
 */
export async function connectToPublicHost(
  { host, port }: { host: string; port: number },
  { timeoutMs, allowPrivate = false }: { timeoutMs: number; allowPrivate?: boolean },
): Promise<Socket> {
  checkHost(host, allowPrivate);
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port, autoSelectFamily: true, lookup: createPublicLookup(allowPrivate) });
    const timer = setTimeout(() => {
      socket.destroy(Object.assign(new Error('Connection timeout'), { code: 'ETIMEDOUT' }));
    }, timeoutMs);
    const fail = (error: Error) => {
      clearTimeout(timer);
      reject(error);
    };
    socket.once('error', fail);
    socket.once('connect', () => {
      clearTimeout(timer);
      socket.off('error', fail);
      resolve(socket);
    });
  });
}
