import { realNetwork } from '@gatebook/js/core';
import { expect, test } from 'vitest';
import { type Write, watchWrites } from './watch-writes.ts';

async function writesAfter(method: string, path: string, headers: Record<string, string> = {}, status = 200) {
  const given = { 'x-stack-request-id': 'r1', ...headers };
  const watch = watchWrites({ ...realNetwork, fetch: async () => new Response('{}', { status, headers: given }) });
  const writes: Write[] = [];
  watch.subscribe((write) => writes.push(write));
  await watch.network.fetch(`http://gate.test/api/v1${path}`, { method, headers: { 'x-stack-project-id': 'p1' } });
  return writes;
}

test('a successful write is reported with its request ID and project', async () => {
  expect(await writesAfter('PATCH', '/users/u1')).toEqual([{ id: 'r1', projectId: 'p1' }]);
});

test.each([
  ['a read', 'GET', '/users/u1', {}, 200],
  ['a preview', 'POST', '/internal/previews', {}, 200],
  ['a preview of an email', 'POST', '/internal/email-templates/magic_link/preview', {}, 200],
  ['a test of a webhook', 'POST', '/webhooks/endpoints/e1/test', {}, 200],
  ['a token refresh', 'POST', '/auth/sessions/current/refresh', {}, 200],
  ['a rejected write', 'PATCH', '/users/u1', { 'x-stack-known-error': 'USER_NOT_FOUND' }, 200],
  ['a failed write', 'PATCH', '/users/u1', {}, 503],
])('%s is not reported', async (_name, method, path, headers, status) => {
  expect(await writesAfter(method, path, headers, status)).toEqual([]);
});

test('writes of a batch are not reported', async () => {
  const headers = { 'x-stack-request-id': 'r1' };
  const watch = watchWrites({ ...realNetwork, fetch: async () => new Response('{}', { headers }) });
  const writes: Write[] = [];
  watch.subscribe((write) => writes.push(write));
  const write = () =>
    watch.network.fetch('http://gate.test/api/v1/users/u1', {
      method: 'PATCH',
      headers: { 'x-stack-project-id': 'p1' },
    });
  await watch.ignoreDuring(write);
  expect(writes).toEqual([]);
  await write();
  expect(writes).toHaveLength(1);
});
