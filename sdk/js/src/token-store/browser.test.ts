import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createBrowserTokenStore } from './browser.ts';
import { deletedNewerCookies, readTokenCookies, tokenCookies } from './cookies.ts';

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

describe('cookies of newer clients', () => {
  const newer = (refresh_token: string, updated_at_millis: number) =>
    encodeURIComponent(JSON.stringify({ refresh_token, updated_at_millis }));

  test.each([
    'stack-refresh-p--default',
    '__Host-stack-refresh-p--default',
    'hexclave-refresh-p--default',
    '__Host-hexclave-refresh-p--default',
    'stack-refresh-p--custom-abc',
  ])('%s is read', (name) => {
    const access = encodeURIComponent('["new","a"]');
    for (const accessName of ['stack-access', 'hexclave-access']) {
      const text = `stack-refresh-p=old; ${name}=${newer('new', 5)}; ${accessName}=${access}`;
      expect(readTokenCookies(text, 'p')).toEqual({ refreshToken: 'new', accessToken: 'a' });
    }
    expect(readTokenCookies(`${name}=${newer('new', 5)}`, 'q').refreshToken).toBeNull();
  });

  test('the newest one wins, and broken ones do not count', () => {
    const text = `stack-refresh-p--default=${newer('r1', 1)}; hexclave-refresh-p--default=${newer('r2', 2)}`;
    expect(readTokenCookies(text, 'p').refreshToken).toBe('r2');
    expect(readTokenCookies('stack-refresh-p--default=broken; stack-refresh-p=old', 'p').refreshToken).toBe('old');
  });

  test('are replaced by the next write', () => {
    const page = fakePage();
    page.cookies.set('__Host-stack-refresh-p--default', newer('r1', 1));
    page.cookies.set('stack-refresh-other--default', newer('r9', 9));
    page.cookies.set('hexclave-access', 'old');
    const store = createBrowserTokenStore('p', page, true);
    expect(store.read().refreshToken).toBe('r1');
    store.write({ accessToken: null, refreshToken: null });
    expect([...page.cookies.keys()]).toEqual(['stack-refresh-other--default']);
  });

  test('copies for parent domains are deleted too', () => {
    const texts = deletedNewerCookies(`stack-refresh-p--custom-x=${newer('r1', 1)}`, 'p', 'app.shop.example');
    expect(texts).toContain('stack-refresh-p--custom-x=; Path=/; Max-Age=0; Domain=shop.example; Secure');
  });
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
