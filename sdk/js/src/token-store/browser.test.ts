import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createBrowserTokenStore } from './browser.ts';
import { readTokenCookies, tokenCookies } from './cookies.ts';

/** Behaves like a browser's `document.cookie`. */
function fakePage() {
  const cookies = new Map<string, string>();
  return {
    cookies,
    get cookie() {
      return [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    },
    set cookie(text: string) {
      const [pair = '', ...attributes] = text.split('; ');
      const cut = pair.indexOf('=');
      if (attributes.includes('Max-Age=0')) cookies.delete(pair.slice(0, cut));
      else cookies.set(pair.slice(0, cut), pair.slice(cut + 1));
    },
  };
}

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

test('cookies have the names, values and lifetimes of all 2.8 clients', () => {
  expect(tokenCookies({ accessToken: 'a', refreshToken: 'r' }, 'internal', true)).toEqual([
    'stack-refresh-internal=r; Path=/; Max-Age=31536000; SameSite=Lax; Secure',
    'stack-access=%5B%22r%22%2C%22a%22%5D; Path=/; Max-Age=86400; SameSite=Lax; Secure',
    'stack-refresh=; Path=/; Max-Age=0; SameSite=Lax; Secure',
  ]);
});

test('the access cookie is valid only with its refresh token', () => {
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

test('another tab reads new tokens within 100 ms', async () => {
  const page = fakePage();
  const writer = createBrowserTokenStore('p', page, false);
  const reader = createBrowserTokenStore('p', page, false);
  let notifications = 0;
  const unsubscribe = reader.subscribe(() => {
    notifications += 1;
  });
  writer.write({ accessToken: 'a', refreshToken: 'r' });
  await vi.advanceTimersByTimeAsync(100);
  expect(notifications).toBe(1);
  expect(reader.read()).toEqual({ accessToken: 'a', refreshToken: 'r' });
  writer.write({ accessToken: null, refreshToken: null });
  await vi.advanceTimersByTimeAsync(100);
  expect(notifications).toBe(2);
  expect(reader.read()).toEqual({ accessToken: null, refreshToken: null });
  expect(page.cookies.size).toBe(0);
  unsubscribe();
  expect(vi.getTimerCount()).toBe(0);
});

test('the token in memory survives an access cookie overwritten by another project', () => {
  const page = fakePage();
  const store = createBrowserTokenStore('p', page, false);
  store.write({ accessToken: 'a', refreshToken: 'r' });
  page.cookies.set('stack-access', encodeURIComponent('["someone else","b"]'));
  expect(store.read()).toEqual({ accessToken: 'a', refreshToken: 'r' });
});
