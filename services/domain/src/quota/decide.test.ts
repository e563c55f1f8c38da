import { expect, test } from 'vitest';
import { given } from '../spec.ts';
import { type QuotaCommand, quotaDecider } from './decide.ts';
import type { QuotaEvent } from './events.ts';
import { itemsOf } from './state.ts';

const at = '2026-01-15T12:00:00.000Z';
const owner = { ownerId: 'ann', projectId: 'shop', at };
const added = (itemId: string, removedItemIds: string[] = []): QuotaEvent => ({
  type: 'QuotaItemAdded',
  data: { ...owner, quota: 'teamsPerUser', itemId, removedItemIds },
});
const add = (itemId: string, rest: Partial<QuotaCommand> = {}): QuotaCommand => ({
  type: 'AddQuotaItem',
  ...owner,
  quota: 'teamsPerUser',
  limit: 2,
  itemId,
  goneItemIds: [],
  ...rest,
});

test('an item is added below the limit', () => {
  given(quotaDecider).when(add('a')).then(added('a'));
  given(quotaDecider, added('a')).when(add('b')).then(added('b'));
});

test('an item beyond the limit is rejected', () =>
  given(quotaDecider, added('a'), added('b')).when(add('c')).thenRejected('QUOTA_EXCEEDED', {
    quota: 'teamsPerUser',
    limit: 2,
  }));

test('a lowered limit rejects new items and removes none', () =>
  given(quotaDecider, added('a'), added('b'))
    .when(add('c', { limit: 1, goneItemIds: ['a'] }))
    .thenRejected('QUOTA_EXCEEDED', { quota: 'teamsPerUser', limit: 1 }));

test('items that are gone no longer count', () =>
  given(quotaDecider, added('a'), added('b'))
    .when(add('c', { goneItemIds: ['a', 'x'] }))
    .then(added('c', ['a'])));

test('each quota is counted separately', () =>
  given(quotaDecider, added('a'), added('b'))
    .when(add('k', { quota: 'apiKeysPerUser' }))
    .then({ type: 'QuotaItemAdded', data: { ...owner, quota: 'apiKeysPerUser', itemId: 'k', removedItemIds: [] } }));

test('an item counts once', () => {
  given(quotaDecider, added('a')).when(add('a')).then();
  const state = [added('a'), added('b', ['a'])].reduce(quotaDecider.evolve, quotaDecider.initialState);
  expect([...itemsOf(state, 'teamsPerUser').keys()]).toEqual(['b']);
});
