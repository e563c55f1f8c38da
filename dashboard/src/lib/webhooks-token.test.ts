// @vitest-environment happy-dom

import { expect, test } from 'vitest';
import { forgetWebhooksToken, isGuestAt, keepWebhooksToken, readWebhooksToken } from './webhooks-token.ts';

test('a token opens the webhooks pages of its project, and no other page', () => {
  const hash = '#token=v1.a-b_c';
  expect(keepWebhooksToken({ pathname: '/projects/p1/users', hash })).toBe(false);
  expect(keepWebhooksToken({ pathname: '/projects/p1/webhooks', hash: '#verify' })).toBe(false);
  expect(keepWebhooksToken({ pathname: '/projects/p1/webhooks', hash })).toBe(true);
  expect(readWebhooksToken('p1')).toBe('v1.a-b_c');
  const paths = ['/projects/p1/webhooks', '/projects/p1/webhooks/w1/deliveries/d1'];
  expect(paths.map(isGuestAt)).toEqual([true, true]);
  const others = ['/projects/p2/webhooks', '/projects/p1/webhooks-x', '/projects/p1/users', '/projects'];
  expect(others.map(isGuestAt)).toEqual([false, false, false, false]);
  forgetWebhooksToken('p1');
  expect(isGuestAt('/projects/p1/webhooks')).toBe(false);
});
