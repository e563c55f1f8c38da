import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isTrustedUrl, type TrustRules } from './trusted-urls.ts';

const domain = (...domains: string[]): TrustRules => ({
  allowLocalhost: false,
  domains: domains.map((each) => ({ domain: each, handlerPath: '/handler' })),
});
const shop = domain('https://shop.example.com', 'https://example.org/app', 'http://intern:8080', 'myapp://open');
const local = { ...domain(), allowLocalhost: true };

describe('a redirect URL', () => {
  test.each([
    'https://shop.example.com',
    'https://SHOP.example.com:443/handler?x=1#y',
    'https://example.org/app',
    'https://example.org/app/handler/callback',
    'http://intern:8080/handler',
    'myapp://open/callback',
  ])('%s is trusted', (url) => expect(isTrustedUrl(url, shop)).toBe(true));

  test.each([
    ['another scheme', 'http://shop.example.com/'],
    ['another port', 'https://shop.example.com:8443/'],
    ['a subdomain', 'https://a.shop.example.com/'],
    ['the domain as a prefix', 'https://shop.example.com.evil.org/'],
    ['the domain as user info', 'https://shop.example.com@evil.org/'],
    ['user info', 'https://ann:secret@shop.example.com/'],
    ['a sibling of the path', 'https://example.org/application'],
    ['a way out of the path', 'https://example.org/app/../admin'],
    ['a backslash', 'https://shop.example.com\\@evil.org/'],
    ['a tab', 'https://shop.example.com\t.evil.org/'],
    ['a relative address', '/handler'],
    ['a relative host', '//shop.example.com/'],
    ['a script', 'javascript://shop.example.com/%0aalert(1)'],
    ['nothing', ''],
  ])('%s is not trusted', (_, url) => expect(isTrustedUrl(url, shop)).toBe(false));

  test.each(['http://localhost:3000/x', 'https://a.b.localhost/', 'http://127.0.0.1:1'])(
    '%s is trusted while localhost is allowed',
    (url) => {
      expect(isTrustedUrl(url, local)).toBe(true);
      expect(isTrustedUrl(url, domain())).toBe(false);
    },
  );

  test.each([
    ...[
      'http://[::1]/',
      'http://0.0.0.0/',
      'http://192.168.0.1/',
      'http://localhost.evil.org/',
      'http://notlocalhost/',
    ],
    ...[
      'javascript://localhost/%0aalert(1)',
      'data://localhost/x',
      'file://localhost/etc/passwd',
      'http://127.0.0.1.evil.org/',
    ],
  ])('%s is not localhost', (url) => expect(isTrustedUrl(url, local)).toBe(false));

  test.each([
    ...['intent://localhost/#Intent;scheme=http;package=org.evil;end', 'chrome://localhost/', 'exp://localhost/--/x'],
    ...['ftp://localhost/', 'ws://localhost/', 'view-source://localhost/', 'myapp://localhost', 'ms-msdt://127.0.0.1/'],
  ])('%s is not opened by a program registered for its scheme (R2)', (url) => {
    expect(isTrustedUrl(url, local)).toBe(false);
    expect(isTrustedUrl(url, { ...shop, allowLocalhost: true })).toBe(false);
  });

  test('a custom scheme is trusted as a trusted domain', () =>
    expect(isTrustedUrl('exp://localhost/--/x', domain('exp://localhost'))).toBe(true));

  test.each([
    ['https://*.example.com', 'https://a.example.com/handler?code=1'],
    ['https://*.example.com', 'https://A.example.com:443/'],
    ['https://**.example.com:8443/app', 'https://a.b.example.com:8443/app/x'],
    ['http://app-*.example.com', 'http://app-7.example.com/'],
  ])('the wildcard domain %s trusts %s', (trusted, url) => expect(isTrustedUrl(url, domain(trusted))).toBe(true));

  test.each([
    ['another scheme', 'https://*.example.com', 'http://a.example.com/'],
    ['a program’s scheme', 'https://*.example.com', 'intent://a.example.com/'],
    ['another port', 'https://*.example.com', 'https://a.example.com:8443/'],
    ['no port', 'https://*.example.com:8443', 'https://a.example.com/'],
    ['another path', 'https://*.example.com/app', 'https://a.example.com/application'],
    ['user info', 'https://*.example.com', 'https://x@a.example.com/'],
    ['a star of its own', 'https://*.example.com', 'https://*.example.com/'],
    ['a slash as part of a label', 'https://*.example.com', 'https://evil.org/.example.com'],
    ['an escaped slash', 'https://*.example.com', 'https://evil.org%2f.example.com/'],
    ['a query as part of a label', 'https://*.example.com', 'https://evil.org?.example.com'],
    ['any host', 'https://*', 'https://evil.org/'],
    ['any host of a top-level domain', 'https://*.org', 'https://evil.org/'],
    ['any port', 'https://*.example.com:*', 'https://a.example.com:8443/'],
    ['an app scheme', 'myapp://*.example.com', 'myapp://a.example.com/'],
  ])('%s is not trusted by a wildcard', (_, trusted, url) => expect(isTrustedUrl(url, domain(trusted))).toBe(false));
});

test('every URL trusted as localhost is an HTTP URL of this machine', () => {
  const scheme = fc.oneof(
    fc.constantFrom(
      'http',
      'https',
      'HTTP',
      'intent',
      'chrome',
      'javascript',
      'exp',
      'file',
      'ws',
      'a+b',
      'view-source',
    ),
    fc.stringMatching(/^[a-z][a-z0-9+.-]{0,9}$/),
  );
  const host = fc.constantFrom(
    'localhost',
    'a.localhost',
    '127.0.0.1',
    'LOCALHOST',
    'localhost:1',
    'evil.org',
    '[::1]',
  );
  const rest = fc.constantFrom('', '/', '/x?y#z', '#Intent;scheme=http;end', '/%0a', '\\@evil.org', '@evil.org/');
  let trusted = 0;
  fc.assert(
    fc.property(scheme, fc.constantFrom('://', ':', ':/', ':////'), host, rest, (name, between, where, tail) => {
      const text = `${name}${between}${where}${tail}`;
      if (!isTrustedUrl(text, local)) return;
      trusted += 1;
      const { protocol, hostname, username } = new URL(text);
      expect(['http:', 'https:']).toContain(protocol);
      expect(hostname).toMatch(/^(a\.)?localhost$|^127\.0\.0\.1$/);
      expect(username).toBe('');
    }),
    { numRuns: 5000 },
  );
  expect(trusted).toBeGreaterThan(100);
});

test('every trusted URL has the origin and path of a trusted domain', () => {
  const pieces = fc.constantFrom(
    ...[
      'https:',
      'http:',
      'javascript:',
      '//',
      '/',
      '\\',
      '@',
      ':',
      '#',
      '?',
      '.',
      '..',
      '%2f',
      '%00',
      'app',
      '443',
      '8443',
    ],
    ...['example.org', 'shop.example.com', 'evil.org', 'localhost', ' ', '\n', 'ａ', '。', 'user:pw@'],
  );
  fc.assert(
    fc.property(fc.array(pieces, { minLength: 1, maxLength: 8 }), (parts) => {
      const text = parts.join('');
      if (!isTrustedUrl(text, shop)) return;
      const url = new URL(text);
      const trusted = ['https://shop.example.com', 'https://example.org', 'http://intern:8080', 'myapp://open'];
      expect(trusted).toContain(url.protocol === 'myapp:' ? `myapp://${url.host}` : url.origin);
      if (url.host === 'example.org') expect(`${url.pathname}/`).toMatch(/^\/app\//);
    }),
    { numRuns: 5000 },
  );
});
