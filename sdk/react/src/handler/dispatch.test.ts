import { resolveUrls, type Urls } from '@gatebook/js/core';
import { describe, expect, test } from 'vitest';
import { dispatch } from './dispatch.ts';

const at = (path: string, urls: Partial<Urls> = {}) => dispatch(resolveUrls(urls), new URL(path, 'http://a.test'));

test.each([
  'sign-in',
  'sign-up',
  'sign-out',
  'email-verification',
  'password-reset',
  'forgot-password',
  'oauth-callback',
  'magic-link-callback',
  'team-invitation',
  'account-settings',
  'cli-auth-confirm',
  'error',
  'report-activity',
  'unsubscribe',
])('%s is a page', (name) => {
  expect(at(`/handler/${name}?code=1`)).toEqual({ page: name });
});

test.each([
  ['login', 'sign-in'],
  ['register', 'sign-up'],
  ['signin', 'sign-in'],
  ['emailverification', 'email-verification'],
  ['magiclinkcallback', 'magic-link-callback'],
  ['cliauthconfirm', 'cli-auth-confirm'],
])('%s redirects to %s with its query', (alias, name) => {
  expect(at(`/handler/${alias}?code=1&x=%2F`)).toEqual({ redirectTo: `/handler/${name}?code=1&x=%2F` });
});

test.each(['/handler/', '/handler', '/handler/nowhere', '/handler/sign-in/more', '/handler/constructor', '/other'])(
  '%s is not a page',
  (path) => {
    expect(at(path)).toEqual({ page: 'not-found' });
  },
);

describe('a URL outside the handler', () => {
  test('receives the query', () => {
    expect(at('/handler/sign-in?after_auth_return_to=/a&x=1', { signIn: '/enter?y=2#h' })).toEqual({
      redirectTo: '/enter?y=2&after_auth_return_to=%2Fa&x=1#h',
    });
  });

  test('does not replace pages without a URL entry', () => {
    expect(at('/auth/cli-auth-confirm', { handler: '/auth' })).toEqual({ page: 'cli-auth-confirm' });
    expect(at('/handler/error', { error: '/oops' })).toEqual({ page: 'error' });
  });
});
