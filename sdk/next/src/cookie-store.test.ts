import { describe, expect, test } from 'vitest';
import { type CookieJar, cookieHeader, createCookieStore } from './cookie-store.ts';
import { fakeJar } from './testing/fake-jar.ts';

const readOnly = (jar: CookieJar): CookieJar => ({
  getAll: jar.getAll,
  set: () => {
    throw new Error('Cookies can only be modified in a Server Action or Route Handler.');
  },
});
const session = { 'stack-refresh-p': 'r1', 'stack-access': '["r1","a1"]' };

test('reads and writes the cookies of browsers', () => {
  const jar = fakeJar(session);
  const store = createCookieStore(jar, 'p', true);
  expect(store.read()).toEqual({ refreshToken: 'r1', accessToken: 'a1' });
  store.write({ refreshToken: 'r2', accessToken: 'a2' });
  expect(store.read()).toEqual({ refreshToken: 'r2', accessToken: 'a2' });
  expect(jar.sets).toEqual([
    ['stack-refresh-p', 'r2', { path: '/', maxAge: 31_536_000, sameSite: 'lax', secure: true, partitioned: false }],
    ['stack-access', '["r2","a2"]', { path: '/', maxAge: 86_400, sameSite: 'lax', secure: true, partitioned: false }],
    ['stack-refresh', '', { path: '/', maxAge: 0, sameSite: 'lax', secure: true, partitioned: false }],
  ]);
});

test('a sign-out deletes the cookies', () => {
  const jar = fakeJar(session);
  createCookieStore(jar, 'p', false).write({ refreshToken: null, accessToken: null });
  expect(cookieHeader(jar)).toBe('');
});

test.each([
  { isHttps: true, form: { sameSite: 'none', secure: true, partitioned: true } },
  { isHttps: false, form: { sameSite: 'lax', secure: false, partitioned: false } },
])('a sign-in deletes the cookie of a newer client (HTTPS: $isHttps)', ({ isHttps, form }) => {
  const newer = JSON.stringify({ refresh_token: 'r9', updated_at_millis: 9 });
  const jar = fakeJar({ 'hexclave-refresh-p--default': newer });
  const store = createCookieStore(jar, 'p', isHttps);
  expect(store.read().refreshToken).toBe('r9');
  store.write({ refreshToken: 'r1', accessToken: 'a1' });
  expect(store.read().refreshToken).toBe('r1');
  expect(jar.sets[0]).toEqual(['hexclave-refresh-p--default', '', { path: '/', maxAge: 0, ...form }]);
});

describe('in a Server Component', () => {
  const open = () => createCookieStore(readOnly(fakeJar(session)), 'p', true);

  test('a new access token lasts as long as the request', () => {
    const store = open();
    store.write({ refreshToken: 'r1', accessToken: 'a2' });
    expect(store.read()).toEqual({ refreshToken: 'r1', accessToken: 'a2' });
  });

  test('an ended session stays ended', () => {
    const store = open();
    store.write({ refreshToken: null, accessToken: null });
    expect(store.read().refreshToken).toBeNull();
  });

  test('a sign-in fails, because its session would be lost', () => {
    expect(() => open().write({ refreshToken: 'r2', accessToken: 'a2' })).toThrow('Server Action');
  });
});
