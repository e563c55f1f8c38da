import { describe, expect, test } from 'vitest';
import { openTokenStore, type RequestLike } from './token-stores.ts';

const read = (init: Parameters<typeof openTokenStore>[0]) => openTokenStore(init, 'p').read();
const request = (headers: Record<string, string>): RequestLike => ({ headers: new Headers(headers) });
const tokens = { accessToken: 'a', refreshToken: 'r' };
const bearer = (text: string, prefix = 'stackauth_') => ({ authorization: `Bearer ${prefix}${btoa(text)}` });

test('given tokens are used, and empty ones are none', () => {
  expect(read(tokens)).toEqual(tokens);
  expect(read({ accessToken: '', refreshToken: 'r' })).toEqual({ accessToken: null, refreshToken: 'r' });
});

describe('a request', () => {
  const cookie = `stack-refresh-p=r; stack-access=${encodeURIComponent('["r","a"]')}`;

  test.each([
    ['cookies', { cookie }],
    ['x-stack-auth', { 'x-stack-auth': JSON.stringify(tokens) }],
    ['x-hexclave-auth', { 'x-hexclave-auth': JSON.stringify(tokens) }],
    ['an authorization header', bearer(JSON.stringify(tokens))],
    ['an authorization header of newer clients', bearer(JSON.stringify(tokens), 'hexclave_')],
  ])('has its tokens in %s', (_, headers) => {
    expect(read(request(headers))).toEqual(tokens);
    expect(read({ headers })).toEqual(tokens);
  });

  test('is read in this order: authorization, x-stack-auth, cookies', () => {
    const auth = (refreshToken: string) => JSON.stringify({ refreshToken });
    expect(read(request({ cookie, 'x-stack-auth': auth('r2'), ...bearer(auth('r3')) })).refreshToken).toBe('r3');
    expect(read(request({ cookie, 'x-stack-auth': auth('r2') })).refreshToken).toBe('r2');
  });

  test('may have an authorization header of another kind', () => {
    expect(read(request({ cookie, authorization: 'Bearer of another service' }))).toEqual(tokens);
  });

  test.each([
    ['x-stack-auth', { 'x-stack-auth': 'text' }],
    ['x-stack-auth', { 'x-stack-auth': 'null' }],
    ['authorization', bearer('text')],
    ['authorization', { authorization: 'Bearer stackauth_%' }],
  ])('with an invalid %s header is rejected', (name, headers) => {
    expect(() => read(request(headers))).toThrow(`The header ${name}`);
  });

  test('without any of them has no tokens', () => {
    expect(read(request({}))).toEqual({ accessToken: null, refreshToken: null });
  });
});

test('cookies need a browser', () => {
  expect(() => read('cookie')).toThrow('needs a browser');
  expect(() => read('nextjs-cookie')).toThrow('needs a browser');
});

test('other values are rejected', () => {
  expect(() => read('unknown' as 'memory')).toThrow('Unknown token store');
});
