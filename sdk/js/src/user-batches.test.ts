import { expect, test } from 'vitest';
import { userBatchesClient } from './user-batches.ts';

const view = {
  ...{ id: 'b', action: 'restrict', team_id: null, permission_id: null, undoes_batch_id: null },
  started_by: { kind: 'owner', id: 'o' },
  ...{ status: 'completed', total: 3, done: 3, failed: 1, created_at_millis: 1, ended_at_millis: 2 },
};
const batch = {
  ...{ id: 'b', type: 'restrict', teamId: null, permissionId: null, undoesBatchId: null },
  startedBy: { kind: 'owner', id: 'o' },
  ...{ status: 'completed', total: 3, done: 3, failed: 1, createdAt: new Date(1), endedAt: new Date(2) },
};

function start(answer: unknown) {
  const calls: unknown[][] = [];
  const client = userBatchesClient((async (...call: unknown[]) => {
    calls.push(JSON.parse(JSON.stringify(call)));
    return answer;
  }) as Parameters<typeof userBatchesClient>[0]);
  return { client, calls };
}

test('a batch names its users by IDs, or by the filters of a search', async () => {
  const { client, calls } = start(view);
  expect(await client.start({ type: 'restrict', reason: 'Spam' }, { userIds: ['u'] })).toEqual(batch);
  const matching = { filters: { isRestricted: true, methods: ['otp'] }, except: ['v'] };
  await client.start({ type: 'lift_restriction' }, matching, { expectedCount: 7 });
  await client.start({ type: 'add_to_team', teamId: 't' }, { filters: {} });
  const path = '/internal/user-batches';
  const filters = { restricted: 'true', method: 'otp' };
  const lift = { action: 'lift_restriction', filters, except_user_ids: ['v'], expected_count: 7 };
  expect(calls).toEqual([
    ['POST', path, { action: 'restrict', reason: 'Spam', user_ids: ['u'] }],
    ['POST', path, lift],
    ['POST', path, { action: 'add_to_team', team_id: 't', filters: {} }],
  ]);
});

test('progress is read, canceled and listed, with pages of failures', async () => {
  const { client, calls } = start(view);
  expect(await client.find('b/1')).toEqual(batch);
  expect(await client.cancel('b')).toEqual(batch);
  const failure = { user_id: 'u', code: 'USER_NOT_FOUND', error: 'User not found.' };
  const page = start({ items: [failure], pagination: { next_cursor: '4' } });
  expect(await page.client.listFailures('b', { cursor: '2', limit: 1 })).toEqual({
    items: [{ userId: 'u', code: 'USER_NOT_FOUND', error: 'User not found.' }],
    nextCursor: '4',
  });
  const paths = [...calls, ...page.calls].map(([method, path]) => `${method} ${path}`);
  expect(paths).toEqual([
    'GET /internal/user-batches/b%2F1',
    'POST /internal/user-batches/b/cancel',
    'GET /internal/user-batches/b/failures?cursor=2&limit=1',
  ]);
});

test('a batch is undone by another one, after a preview', async () => {
  const undo = start({ ...view, action: 'undo', undoes_batch_id: 'a' });
  expect(await undo.client.undo('a')).toEqual({ ...batch, type: 'undo', undoesBatchId: 'a' });
  const facts = { count: 3, previewed: 3, changed: 2, unchanged: 0, effects: [] };
  const rejections = [{ code: 'UNDO_CONFLICT', error: 'Changed since.', count: 1 }];
  const preview = start({ ...facts, rejections, is_reversible: true });
  expect(await preview.client.previewUndo('a')).toEqual({ ...facts, rejections, isReversible: true });
  expect([...undo.calls, ...preview.calls]).toEqual([
    ['POST', '/internal/user-batches/a/undo', {}],
    ['POST', '/internal/user-batches/a/undo/preview', {}],
  ]);
});
