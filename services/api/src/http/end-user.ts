import { BlockList, isIP } from 'node:net';
import type { FastifyRequest } from 'fastify';

export type ProxyTrust = (address: string) => boolean;

/** What is known of the person's device and place; null where the request does not come from a browser. */
export type EndUser = { ip: string | null; userAgent: string | null; country: string | null };

const addressHeaders = ['cf-connecting-ip', 'x-vercel-forwarded-for', 'x-real-ip', 'x-forwarded-for'];
const countryHeaders = ['cf-ipcountry', 'x-vercel-ip-country'];

/** `proxies` are addresses, networks (`10.0.0.0/8`) or the word `loopback`. @throws Error for anything else */
export function trustIn(proxies: readonly string[]): ProxyTrust {
  const list = new BlockList();
  const family = (address: string) => (isIP(address) === 6 ? 'ipv6' : 'ipv4');
  for (const proxy of proxies.flatMap((entry) => (entry === 'loopback' ? ['127.0.0.0/8', '::1'] : [entry]))) {
    const [address = '', bits] = proxy.split('/', 2);
    if (isIP(address) === 0) throw new Error(`${proxy} is neither an address nor a network nor "loopback"`);
    if (bits === undefined) list.addAddress(address, family(address));
    else list.addSubnet(address, Number(bits), family(address));
  }
  return (address) => isIP(bare(address)) !== 0 && list.check(bare(address), family(bare(address)));
}

/** IPv4 addresses that arrive on an IPv6 socket are written `::ffff:1.2.3.4`. */
const bare = (address: string) => (address.startsWith('::ffff:') && address.includes('.') ? address.slice(7) : address);

/**
 * The end user behind a request, for sessions and metrics only. Forwarded headers are believed from configured proxies, and
 * an address at all only when the user agent looks like a browser's: servers call for somebody else (conventions §2).
 */
export function endUserOf(request: FastifyRequest, isTrusted: ProxyTrust): EndUser {
  const userAgent = request.headers['user-agent']?.slice(0, 512) ?? null;
  if (userAgent === null || !/Mozilla|Chrome|Safari/.test(userAgent)) return { ip: null, userAgent, country: null };
  const peer = request.raw.socket.remoteAddress ?? null;
  if (peer === null || !isTrusted(peer)) return { ip: peer === null ? null : bare(peer), userAgent, country: null };
  const told = first(request, addressHeaders)?.split(',', 1)[0]?.trim();
  const country = first(request, countryHeaders);
  return {
    ip: told !== undefined && isIP(told) !== 0 ? told : bare(peer),
    userAgent,
    country: country !== undefined && /^[A-Z]{2}$/.test(country) ? country : null,
  };
}

function first(request: FastifyRequest, names: readonly string[]): string | undefined {
  for (const name of names) {
    const value = request.headers[name];
    if (typeof value === 'string' && value !== '') return value;
  }
  return undefined;
}
