import { type LookupAddress, lookup } from 'node:dns';
import { BlockList, connect, isIP, type Socket } from 'node:net';

/** Networks that are nobody's on the Internet (IANA special-purpose address registries), IPv4 in IPv6 included. */
const inner = new BlockList();
for (const [network, bits] of [
  ...([
    ['0.0.0.0', 8],
    ['10.0.0.0', 8],
    ['100.64.0.0', 10],
    ['127.0.0.0', 8],
    ['169.254.0.0', 16],
  ] as const),
  ...([
    ['172.16.0.0', 12],
    ['192.0.0.0', 24],
    ['192.168.0.0', 16],
    ['198.18.0.0', 15],
    ['224.0.0.0', 3],
  ] as const),
] as const) {
  inner.addSubnet(network, bits, 'ipv4');
}
for (const [network, bits] of [
  ...([
    ['::', 96],
    ['64:ff9b::', 96],
    ['64:ff9b:1::', 48],
    ['100::', 64],
    ['2002::', 16],
  ] as const),
  ...([
    ['fc00::', 7],
    ['fe80::', 10],
    ['ff00::', 8],
  ] as const),
] as const) {
  inner.addSubnet(network, bits, 'ipv6');
}

/** Where clouds tell machines their secrets, and what is only on the same cable: no mail server is there. */
const forbidden = new BlockList();
forbidden.addSubnet('169.254.0.0', 16, 'ipv4');
forbidden.addAddress('100.100.100.200', 'ipv4');
forbidden.addSubnet('fe80::', 10, 'ipv6');
forbidden.addAddress('fd00:ec2::254', 'ipv6');

/** Whether nobody may connect to an IP address, private networks allowed or not. */
export function isForbiddenAddress(address: string): boolean {
  return forbidden.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');
}

/** Whether an IP address lies in a private, link-local or otherwise special network. */
export function isPrivateAddress(address: string): boolean {
  return inner.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');
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
  const isRefused = mayBePrivate ? isForbiddenAddress : isPrivateAddress;
  return new Promise((resolve, reject) => {
    if (isIP(host) !== 0 && isRefused(host)) return reject(new PrivateHostError(host));
    const socket = connect({
      ...{ host, port, autoSelectFamily: true },
      lookup: (name, options, done) =>
        lookup(name, { ...options, all: true }, (error, addresses: LookupAddress[]) => {
          if (error) return done(error, []);
          const isInner = addresses.some(({ address }) => isRefused(address));
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
