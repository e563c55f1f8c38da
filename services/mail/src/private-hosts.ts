import { type LookupAddress, lookup } from 'node:dns';
import { connect, isIP, type Socket } from 'node:net';
import ipaddr from 'ipaddr.js';

type Address = ipaddr.IPv4 | ipaddr.IPv6;
type Network = readonly [Address, number];

/** `::ffff:0:0/96` is read as the IPv4 address that it stands for. Null for what is no address, or is written in an odd way. */
const parse = (text: string): Address | null => (ipaddr.isValid(text) ? ipaddr.process(text) : null);
const networks = (...texts: string[]): readonly Network[] =>
  texts.map((text) => {
    const [address, bits] = ipaddr.parseCIDR(text);
    return [address, bits] as const;
  });
const isIn = (address: Address, list: readonly Network[]) =>
  list.some(([network, bits]) => network.kind() === address.kind() && address.match(network, bits));

/** The only IPv6 network that is handed out (IANA IPv6 address space registry). */
const globalIpv6 = networks('2000::/3');
/** Standing for an IPv4 address that is reached through them: NAT64 (RFC 6052) and 6to4 (RFC 3056). */
const translated = networks('64:ff9b::/96', '2002::/16');
/** Azure's own service for its machines has an address like any other. */
const cloudHost = networks('168.63.129.16/32');

/** Where clouds tell machines their secrets, and what is only on the same cable: no mail server is there. */
const forbidden = [
  ...cloudHost,
  ...networks('169.254.0.0/16', '100.100.100.200/32', '192.0.0.192/32'),
  ...networks('fe80::/10', 'fd00:ec2::254/128', 'fd20:ce::254/128'),
  // NAT64 of the operator's own form (RFC 8215): the IPv4 address may lie anywhere in it.
  ...networks('64:ff9b:1::/48'),
];

/** Whether nobody may connect to an IP address, private networks allowed or not. */
export function isForbiddenAddress(text: string): boolean {
  const address = parse(text);
  return address === null || [address, ...embedded(address)].some((each) => isIn(each, forbidden));
}

/** Whether an IP address lies in a private, link-local or otherwise special network (IANA special-purpose address registries). */
export function isPrivateAddress(text: string): boolean {
  const address = parse(text);
  if (address === null) return true;
  const inner = embedded(address);
  const judged = isIn(address, translated) ? inner : [address, ...inner];
  return judged.some((each) => !isPublic(each));
}

function isPublic(address: Address): boolean {
  if (address.range() !== 'unicast' || isIn(address, cloudHost)) return false;
  return address.kind() === 'ipv4' || isIn(address, globalIpv6);
}

/** The IPv4 addresses inside an IPv6 one, by each form that a network or tunnel may take apart. */
function embedded(address: Address): readonly ipaddr.IPv4[] {
  if (!(address instanceof ipaddr.IPv6)) return [];
  const bytes = address.toByteArray();
  const at = (start: number, mask = 0) => new ipaddr.IPv4(bytes.slice(start, start + 4).map((byte) => byte ^ mask));
  if (isIn(address, networks('64:ff9b::/96', '::/96', '::ffff:0:0:0/96'))) return [at(12)];
  if (isIn(address, networks('2002::/16'))) return [at(2)];
  // Teredo (RFC 4380 §4): the server, and the client with its bits turned over.
  if (isIn(address, networks('2001::/32'))) return [at(4), at(12, 0xff)];
  // ISATAP (RFC 5214 §6.1), whatever the prefix.
  const isIsatap = ((bytes[8] ?? 0) & ~0x02) === 0 && bytes[9] === 0 && bytes[10] === 0x5e && bytes[11] === 0xfe;
  return isIsatap ? [at(12)] : [];
}

export class PrivateHostError extends Error {
  readonly code = 'EPRIVATE';

  constructor(host: string) {
    super(`${host} lies in a private network`);
    this.name = 'PrivateHostError';
  }
}

/**
 * Connects to a host of the Internet, or of a private network where that is allowed; to link-local addresses and those of
 * clouds' metadata never. Its name is resolved once: what was looked at is what is connected to.
 * @throws PrivateHostError when the name leads, or may lead, elsewhere
 */
export function connectToPublicHost(
  { host, port }: { host: string; port: number },
  { timeoutMs, mayBePrivate = false }: { timeoutMs: number; mayBePrivate?: boolean },
): Promise<Socket> {
  const isRejected = mayBePrivate ? isForbiddenAddress : isPrivateAddress;
  return new Promise((resolve, reject) => {
    if (isIP(host) !== 0 && isRejected(host)) return reject(new PrivateHostError(host));
    const socket = connect({
      ...{ host, port, autoSelectFamily: true },
      lookup: (name, options, done) =>
        lookup(name, { ...options, all: true }, (error, addresses: LookupAddress[]) => {
          if (error) return done(error, []);
          const isInner = addresses.some(({ address }) => isRejected(address));
          return isInner ? done(new PrivateHostError(name), []) : done(null, addresses);
        }),
    });
    const timer = setTimeout(() => {
      socket.destroy(Object.assign(new Error('Connection timeout'), { code: 'ETIMEDOUT' }));
    }, timeoutMs);
    const failed = (error: Error) => {
      clearTimeout(timer);
      reject(error);
    };
    socket.once('error', failed);
    socket.once('connect', () => {
      clearTimeout(timer);
      socket.off('error', failed);
      resolve(socket);
    });
  });
}
