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
 * Connects to a host of the Internet. Its name is resolved once: what was looked at is what is connected to.
 * @throws PrivateHostError when the name leads, or may lead, into a private network
 */
export function connectToPublicHost(
  { host, port }: { host: string; port: number },
  { timeoutMs }: { timeoutMs: number },
): Promise<Socket> {
  return new Promise((resolve, reject) => {
    if (isIP(host) !== 0 && isPrivateAddress(host)) return reject(new PrivateHostError(host));
    const socket = connect({
      ...{ host, port, autoSelectFamily: true },
      lookup: (name, options, done) =>
        lookup(name, { ...options, all: true }, (error, addresses: LookupAddress[]) => {
          if (error) return done(error, []);
          const isInner = addresses.some(({ address }) => isPrivateAddress(address));
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
