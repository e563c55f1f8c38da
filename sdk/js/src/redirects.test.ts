import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createRedirects, type RedirectMethod } from './redirects.ts';
import { isRelativeUrl, resolveUrls, type Urls } from './urls.ts';

function at(href: string, urls: Partial<Urls> = {}, method: RedirectMethod = 'window') {
  const visited: string[] = [];
  const pauses: number[] = [];
  const location = {
    href,
    assign: (url: string | URL) => visited.push(`to ${url}`),
    replace: (url: string | URL) => visited.push(`replace ${url}`),
  };
  const redirects = createRedirects({
    urls: resolveUrls(urls),
    method,
    location,
    pause: async (ms) => {
      pauses.push(ms);
    },
  });
  return { redirects, visited, pauses };
}

describe('the URL table', () => {
  test('has defaults below the handler, and afterSignUp defaults to afterSignIn', () => {
    expect(resolveUrls()).toMatchObject({
      home: '/',
      signIn: '/handler/sign-in',
      afterSignUp: '/',
      magicLinkCallback: '/handler/magic-link-callback',
    });
    expect(resolveUrls({ handler: '/auth', home: '/app', afterSignIn: '/in' })).toMatchObject({
      signIn: '/auth/sign-in',
      afterSignUp: '/in',
      afterSignOut: '/app',
    });
    expect(resolveUrls({ afterSignUp: '/welcome' })).toMatchObject({ afterSignUp: '/welcome', afterSignIn: '/' });
  });
});

describe('targets', () => {
  test.each(['/a', 'a?b#c', '', '?x', '/a//b', '/@someone', './a:b'])('%j stays on the site', (target) => {
    expect(isRelativeUrl(target)).toBe(true);
  });
  test.each([
    'https://x.example',
    'http://x.example',
    '//x.example',
    '///x.example',
    '/\\x.example',
    '\\\\x.example',
    'javascript:alert(1)',
    'JaVa\tScript:alert(1)',
    ' javascript:alert(1)',
    'data:text/html,x',
    'mailto:a@b.c',
    '/\t/x.example',
    '\n//x.example',
    'https:/x.example',
    'blob:https://x',
    '//',
    'http:x.example',
  ])('%j does not', (target) => {
    expect(isRelativeUrl(target)).toBe(false);
  });

  test('no accepted URL leaves the site, on any page', () => {
    const piece = fc.constantFrom(
      '/',
      '\\',
      ':',
      '@',
      '//',
      'http',
      'https',
      'javascript',
      '\t',
      '\n',
      ' ',
      '.',
      '?',
      '#',
      '%2f',
    );
    const target = fc
      .array(fc.oneof(piece, fc.string({ maxLength: 3 }), fc.constant('evil.example')))
      .map((parts) => parts.join(''));
    fc.assert(
      fc.property(target, fc.constantFrom('https://gate.test/a/b?c', 'http://localhost:8102/a'), (text, page) => {
        if (isRelativeUrl(text)) expect(new URL(text, page).origin).toBe(new URL(page).origin);
      }),
      { numRuns: 3_000 },
    );
  });

  test('sign-in keeps the return target, or uses the current page', () => {
    expect(at('http://a.test/page?x=1#h').redirects.target('signIn')).toBe(
      '/handler/sign-in?after_auth_return_to=%2Fpage%3Fx%3D1%23h',
    );
    expect(at('http://a.test/handler/sign-in?after_auth_return_to=/deep').redirects.target('signUp')).toBe(
      '/handler/sign-up?after_auth_return_to=%2Fdeep',
    );
    const deadEnd = at('http://a.test/handler/sign-out').redirects;
    expect(deadEnd.target('signIn', { returnsHere: false })).toBe('/handler/sign-in');
    const given = at('http://a.test/handler/sign-out?after_auth_return_to=/deep').redirects;
    expect(given.target('signIn', { returnsHere: false })).toBe('/handler/sign-in?after_auth_return_to=%2Fdeep');
    expect(at('http://a.test/page').redirects.target('signIn', { noRedirectBack: true })).toBe('/handler/sign-in');
    expect(at('http://a.test/page', { signIn: 'https://x.example/in?b=1' }).redirects.target('signIn')).toBe('/in?b=1');
  });

  test('afterSignIn is the return target if there is one', () => {
    expect(at('http://a.test/x?after_auth_return_to=/deep%3Fa').redirects.target('afterSignIn')).toBe('/deep?a');
    expect(at('http://a.test/x?after_auth_return_to=').redirects.target('afterSignUp')).toBe('/');
    expect(at('http://a.test/x?after_auth_return_to=/deep').redirects.target('home')).toBe('/');
  });
});

describe('redirects', () => {
  test('navigate and then pause, so that no code after them runs', async () => {
    const { redirects, visited, pauses } = at('http://a.test/x');
    await redirects.to('home');
    await redirects.to('signOut', { replace: true });
    expect(visited).toEqual(['to /', 'replace /handler/sign-out']);
    expect(pauses).toEqual([2_000, 2_000]);
  });

  test.each(['https://evil.example', '//evil.example', 'javascript:alert(1)', '/\\evil.example'])(
    'never follow %s',
    async (target) => {
      const { redirects, visited } = at(`http://a.test/x?after_auth_return_to=${encodeURIComponent(target)}`);
      await expect(redirects.to('afterSignIn')).rejects.toThrow('not on this site');
      await expect(redirects.toUrl(target)).rejects.toThrow('not on this site');
      expect(visited).toEqual([]);
    },
  );

  test("do nothing with 'none', and call the router if there is one", async () => {
    const still = at('http://a.test/x', {}, 'none');
    await still.redirects.to('home');
    expect([still.visited, still.pauses]).toEqual([[], []]);
    const moves: unknown[] = [];
    const routed = at('http://a.test/x', {}, { navigate: (url, options) => moves.push([url, options]) });
    await routed.redirects.to('home', { replace: true });
    expect([moves, routed.visited]).toEqual([[['/', { replace: true }]], []]);
  });
});

test('callback URLs are absolute, keep the return target and have no hash', () => {
  const { redirects } = at('http://a.test/handler/sign-in?after_auth_return_to=/deep&other=1#h');
  expect(redirects.callbackUrl('magicLinkCallback')).toBe(
    'http://a.test/handler/magic-link-callback?after_auth_return_to=%2Fdeep',
  );
});
