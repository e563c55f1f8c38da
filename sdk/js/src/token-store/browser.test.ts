import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createBrowserTokenStore } from './browser.ts';
import { readTokenCookies, tokenCookies } from './cookies.ts';

/** Keeps cookies as a browser's `document.cookie` does. */
function fakePage() {
  const jar = new Map<string, string>();
  return {
    jar,
    get cookie() {
      return [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
    },
    set cookie(text: string) {
      const [pair = '', ...attributes] = text.split('; ');
      const cut = pair.indexOf('=');
      if (attributes.includes('Max-Age=0')) jar.delete(pair.slice(0, cut));
      else jar.set(pair.slice(0, cut), pair.slice(cut + 1));
    },
  };
}

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

test('cookies have the names, contents and lives of every 2.8 client', () => {
  expect(tokenCookies({ accessToken: 'a', refreshToken: 'r' }, 'internal', true)).toEqual([
    'stack-refresh-internal=r; Path=/; Max-Age=31536000; SameSite=Lax; Secure',
    'stack-access=%5B%22r%22%2C%22a%22%5D; Path=/; Max-Age=86400; SameSite=Lax; Secure',
    'stack-refresh=; Path=/; Max-Age=0; SameSite=Lax; Secure',
  ]);
});

test('the access cookie counts only beside its own refresh token', () => {
  const access = encodeURIComponent('["r","a"]');
  expect(readTokenCookies(`stack-refresh-p=r; stack-access=${access}`, 'p')).toEqual({
    accessToken: 'a',
    refreshToken: 'r',
  });
  expect(readTokenCookies(`stack-refresh-p=other; stack-access=${access}`, 'p').accessToken).toBeNull();
  expect(readTokenCookies('stack-refresh-p=r; stack-access=a', 'p').accessToken).toBeNull();
  expect(readTokenCookies(`stack-refresh-q=r; stack-access=${access}`, 'p').refreshToken).toBeNull();
  expect(readTokenCookies('stack-refresh=old', 'p').refreshToken).toBe('old');
});

test('what one tab writes, another reads within 100 ms', async () => {
  const page = fakePage();
  const here = createBrowserTokenStore('p', page, false);
  const there = createBrowserTokenStore('p', page, false);
  let told = 0;
  const leave = there.subscribe(() => {
    told += 1;
  });
  here.write({ accessToken: 'a', refreshToken: 'r' });
  await vi.advanceTimersByTimeAsync(100);
  expect(told).toBe(1);
  expect(there.read()).toEqual({ accessToken: 'a', refreshToken: 'r' });
  here.write({ accessToken: null, refreshToken: null });
  await vi.advanceTimersByTimeAsync(100);
  expect(told).toBe(2);
  expect(there.read()).toEqual({ accessToken: null, refreshToken: null });
  expect(page.jar.size).toBe(0);
  leave();
  expect(vi.getTimerCount()).toBe(0);
});

test('an access cookie that another project overwrote does not lose the token in memory', () => {
  const page = fakePage();
  const store = createBrowserTokenStore('p', page, false);
  store.write({ accessToken: 'a', refreshToken: 'r' });
  page.jar.set('stack-access', encodeURIComponent('["someone else","b"]'));
  expect(store.read()).toEqual({ accessToken: 'a', refreshToken: 'r' });
});
