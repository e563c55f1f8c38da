import type { FastifyRequest } from 'fastify';
import { expect, test } from 'vitest';
import { endUserOf, trustIn } from './end-user.ts';

const browser = 'Mozilla/5.0 Chrome/130';
const requestOf = (peer: string, headers: Record<string, string>) =>
  ({
    headers: { 'user-agent': browser, ...headers },
    raw: { socket: { remoteAddress: peer } },
  }) as unknown as FastifyRequest;
const trusted = trustIn(['10.0.0.0/8', 'loopback']);

test('forwarded addresses are believed from configured proxies, in their order', () => {
  const headers = {
    'x-forwarded-for': '203.0.113.1, 10.1.1.1',
    'x-real-ip': '203.0.113.2',
    'x-vercel-forwarded-for': '203.0.113.3',
    'cf-connecting-ip': '203.0.113.4',
    'cf-ipcountry': 'DE',
  };
  const told = ['cf-connecting-ip', 'x-vercel-forwarded-for', 'x-real-ip', 'x-forwarded-for'] as const;
  const rest: Partial<typeof headers> = { ...headers };
  for (const [index, name] of told.entries()) {
    const { ip, country } = endUserOf(requestOf('10.2.3.4', rest as Record<string, string>), trusted);
    expect([ip, country]).toEqual([`203.0.113.${4 - index}`, 'DE']);
    delete rest[name];
  }
  expect(endUserOf(requestOf('192.0.2.9', headers), trusted)).toMatchObject({ ip: '192.0.2.9', country: null });
  expect(endUserOf(requestOf('::ffff:10.0.0.1', headers), trusted).ip).toBe('203.0.113.4');
  expect(endUserOf(requestOf('::1', headers), trusted).ip).toBe('203.0.113.4');
});

test('what is no address is not taken for one', () => {
  const forged = requestOf('10.0.0.1', { 'x-forwarded-for': '<script>', 'cf-ipcountry': 'XX<' });
  expect(endUserOf(forged, trusted)).toMatchObject({ ip: '10.0.0.1', country: null });
});

test('only browsers speak for their own address', () => {
  const server = requestOf('10.0.0.1', { 'user-agent': 'node', 'x-forwarded-for': '203.0.113.1' });
  expect(endUserOf(server, trusted)).toEqual({ ip: null, userAgent: 'node', country: null });
});

test('a proxy that is no address stops the start', () => {
  expect(() => trustIn(['proxy.example.com'])).toThrow('proxy.example.com');
});
