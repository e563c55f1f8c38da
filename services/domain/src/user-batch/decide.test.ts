import { describe, test } from 'vitest';
import { given } from '../spec.ts';
import { userBatchDecider } from './decide.ts';
import type { UserBatchEvent } from './events.ts';

const at = '2026-01-15T12:00:00.000Z';
const ids = { batchId: '00000000-0000-4000-8000-000000000001', projectId: 'shop' };
const facts = {
  ...{ action: 'restrict' as const, reason: 'Spam', teamId: null, permissionId: null, undoesBatchId: null },
  userCount: 12,
};
const started: UserBatchEvent = { type: 'UserBatchStarted', data: { ...ids, ...facts, at } };
const canceled: UserBatchEvent = { type: 'UserBatchEnded', data: { ...ids, outcome: 'canceled', at } };
const end = (outcome: 'completed' | 'canceled') =>
  ({ type: 'EndBatch', projectId: ids.projectId, outcome, at }) as const;

describe('a batch of users', () => {
  test('is started', () =>
    given(userBatchDecider)
      .when({ type: 'StartBatch', ...ids, ...facts, at })
      .then(started));

  test('ends once, with its first outcome', () => {
    given(userBatchDecider, started).when(end('canceled')).then(canceled);
    given(userBatchDecider, started, canceled).when(end('completed')).then();
  });

  test('of another project, or unknown, is not found', () => {
    const ofOther = { ...end('canceled'), projectId: 'other' };
    given(userBatchDecider, started).when(ofOther).thenRejected('USER_BATCH_NOT_FOUND');
    given(userBatchDecider).when(end('canceled')).thenRejected('USER_BATCH_NOT_FOUND');
  });
});
