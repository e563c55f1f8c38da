import { BlockList, isIP } from 'node:net';
import type { EndUser } from '@gatebook/commands/deps';
import { memoize } from '@gatebook/runtime/lru-cache';
import type { FastifyRequest } from 'fastify';
import type { CountryOf } from '../country.ts';
import { clientVersionOf } from './client-version.ts';

export type ProxyTrust = (address: string) => boolean;

/** About a thousand addresses. */
const maxRememberedBytes = 262_144;

/** `proxies` are addresses, networks (`10.0.0.0/8`) or `loopback`. @throws Error for anything else */
export function trustIn(proxies: readonly string[]): ProxyTrust {
  const list = new BlockList();
  const family = (address: string) => (isIP(address) === 6 ? 'ipv6' : 'ipv4');
  for (const proxy of proxies.flatMap((entry) => (entry === 'loopback' ? ['127.0.0.0/8', '::1'] : [entry]))) {
    const [address = '', bits] = proxy.split('/', 2);
    if (isIP(address) === 0) throw new Error(`${proxy} must be an IP address, a network, or "loopback"`);
    if (bits === undefined) list.addAddress(address, family(address));
    else list.addSubnet(address, Number(bits), family(address));
  }
  return memoize(
    (address) => isIP(bare(address)) !== 0 && list.check(bare(address), family(bare(address))),
    maxRememberedBytes,
  );
}

/** IPv4 addresses that arrive on an IPv6 socket are written `::ffff:1.2.3.4`. */
const bare = (address: string) => (address.startsWith('::ffff:') && address.includes('.') ? address.slice(7) : address);

/** Headers in which a trusted proxy sends the client's address or country; null if there are none. */
export type ClientHeaders = { address: string | null; country: string | null };

/**
 * The client address of a request: the last address that is not a trusted proxy (`request.ip`), or the configured
 * header of a trusted proxy. Clients can forge all other headers.
 * @returns null for a client that is gone
 */
export function clientAddressOf(request: FastifyRequest, isTrusted: ProxyTrust, headers: ClientHeaders): string | null {
  const peer = request.raw.socket.remoteAddress;
  if (peer === undefined) return null;
  const addresses = [isTrusted(peer) ? headerOf(request, headers.address) : undefined, request.ip];
  return bare(addresses.find((address) => address !== undefined && isIP(address) !== 0) ?? peer);
}

/** An app server that shows a secret key of the project passes on the address of its visitor in this header. */
const endUserAddressHeader = 'x-gatebook-end-user-address';

/** Only for a request with a secret key: clients can forge the header. @returns null unless it is an IP address */
export function passedOnAddressOf(request: FastifyRequest): string | null {
  const address = headerOf(request, endUserAddressHeader);
  return address !== undefined && isIP(address) !== 0 ? bare(address) : null;
}

export const isBrowser = (userAgent: string | null) => userAgent !== null && /Mozilla|Chrome|Safari/.test(userAgent);

type Location = { isTrusted: ProxyTrust; headers: ClientHeaders; countryOf: CountryOf };

/**
 * The end user of a request, for sessions and metrics only. The address is only recorded if the user agent looks like a
 * browser, because servers call on behalf of users (protocol, conventions §2).
 */
export function endUserOf(request: FastifyRequest, { isTrusted, headers, countryOf }: Location): EndUser {
  const userAgent = request.headers['user-agent']?.slice(0, 512) ?? null;
  const software = { userAgent, clientVersion: clientVersionOf(request) };
  if (!isBrowser(userAgent)) return { ip: null, country: null, ...software };
  const peer = request.raw.socket.remoteAddress;
  // Proxies see the country of the app server, not of its visitor.
  const isNamed = peer !== undefined && isTrusted(peer) && !request.isAddressPassedOn;
  const country = isNamed ? headerOf(request, headers.country) : undefined;
  const ip = request.clientAddress;
  if (country !== undefined && /^[A-Z]{2}$/.test(country)) return { ip, country, ...software };
  return { ip, country: ip === null ? null : countryOf(ip), ...software };
}

function headerOf(request: FastifyRequest, name: string | null): string | undefined {
  const value = name === null ? undefined : request.headers[name];
  return typeof value === 'string' ? value.trim() : undefined;
}
