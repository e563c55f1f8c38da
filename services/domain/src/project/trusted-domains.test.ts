import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { hasWildcard, matchesHost, trustedDomainFault } from './trusted-domains.ts';

describe('a trusted domain', () => {
  test.each([
    'https://example.com',
    'http://intern:8080/app',
    'https://*.example.com',
    'https://*.Example.com:8443/app',
    'https://**.example.com',
    'https://app-*.example.com',
    'https://app-*-team.vercel.app',
    'https://*.*.example.com',
    'https://a.**.b-*.example.com',
  ])('can be %s', (domain) => expect(trustedDomainFault(domain)).toBeNull());

  test.each([
    ['example.com', /http/],
    ['ftp://*.example.com', /http/],
    ['https://*', /last two labels/],
    ['http://*:8080', /last two labels/],
    ['https://*.com', /last two labels/],
    ['https://**', /last two labels/],
    ['https://example.*', /last two labels/],
    ['https://a.*.com', /last two labels/],
    ['https://*.example.com.', /last two labels/],
    ['https://*.168.0.1', /last two labels/],
    ['https://***.example.com', /wildcard/],
    ['https://a**.example.com', /wildcard/],
    ['https://*-*.example.com', /wildcard/],
    ['https://**.**.example.com', /wildcard/],
    ['https://ü-*.example.com', /wildcard/],
    ['https://%2A.example.com', /wildcard/],
    ['https://＊.example.com', /wildcard/],
    ['https://*.example.com:*', /port/],
    ['https://*.example.com/*', /only in the host name/],
    ['https://example.com/*', /only in the host name/],
    ['https://example.com?*', /only in the host name/],
    ['https://*@evil.example.com', /only in the host name/],
    ['https://shop.example.com@*.evil.com', /only in the host name/],
    ['https://*.exa mple.com', /wildcard/],
    ['https://exa mple.com', /spaces/],
  ])('cannot be %s', (domain, fault) => expect(trustedDomainFault(domain)).toMatch(fault));

  test('that stands for several hosts is recognized, however the star is written', () => {
    expect(['https://*.a.com', 'https://%2A.a.com', 'https://＊.a.com'].every(hasWildcard)).toBe(true);
    expect(hasWildcard('https://a.com')).toBe(false);
  });
});

describe('a wildcard', () => {
  test.each([
    ['*.example.com', 'api.example.com'],
    ['**.example.com', 'api.example.com'],
    ['**.example.com', 'a.b.c.example.com'],
    ['api-*.example.com', 'api-v1.example.com'],
    ['*-api.example.com', 'v1-api.example.com'],
    ['app-*-team.vercel.app', 'app-git-main-team.vercel.app'],
    ['*.*.example.com', 'a.b.example.com'],
    ['a.**.b.example.com', 'a.x.y.b.example.com'],
  ])('%s stands for %s', (pattern, host) => expect(matchesHost(host, pattern)).toBe(true));

  test.each([
    ['*.example.com', 'example.com'],
    ['*.example.com', 'api.v2.example.com'],
    ['*.example.com', '.example.com'],
    ['*.example.com', '*.example.com'],
    ['*.example.com', 'apiexample.com'],
    ['*.example.com', 'api.example.com.evil.org'],
    ['*.example.com', 'api.example.org'],
    ['**.example.com', 'example.com'],
    ['**.example.com', 'a..example.com'],
    ['**.example.com', 'evilexample.com'],
    ['api-*.example.com', 'api.example.com'],
    ['api-*.example.com', 'api-.example.com'],
    ['api-*.example.com', 'api-v1.evil.example.com'],
    ['a*a.example.com', 'a.example.com'],
    ['a*a.example.com', 'aa.example.com'],
    ['*.com', 'evil.com'],
    ['*', 'localhost'],
    ['**', 'evil.org'],
    ['a**.example.com', 'ab.example.com'],
  ])('%s does not stand for %s', (pattern, host) => expect(matchesHost(host, pattern)).toBe(false));

  test('stands only for hosts below the labels after it', () => {
    const label = fc.constantFrom('*', '**', 'a', 'b-*', '*-c', 'b-x', 'evil', '', '***');
    const hostLabel = fc.constantFrom('a', 'b-x', 'x-c', 'evil', 'org', '', '*', 'b-');
    const name = (each: fc.Arbitrary<string>) => fc.array(each, { maxLength: 4 }).map((labels) => labels.join('.'));
    fc.assert(
      fc.property(name(label), name(hostLabel), fc.boolean(), (pattern, host, isBelow) => {
        const hostname = isBelow ? `${host}.example.com` : host;
        if (!pattern.includes('*') || !matchesHost(hostname, `${pattern}.example.com`)) return;
        expect(hostname).toMatch(/^[a-z0-9-]+(\.[a-z0-9-]+)*\.example\.com$/);
      }),
      { numRuns: 3000 },
    );
  });
});
