import { describe, expect, test } from 'vitest';
import { given } from '../spec.ts';
import { apiKeyDecider } from './decide.ts';
import type { ApiKeyEvent } from './events.ts';

const at = '2026-01-15T12:00:00.000Z';
const later = '2026-02-15T12:00:00.000Z';
const [keyId, ownerId, projectId] = [
  '00000000-0000-4000-8000-000000000001',
  '00000000-0000-4000-8000-000000000002',
  'shop',
];
const data = {
  keyId,
  projectId,
  ownerType: 'user' as const,
  ownerId,
  description: 'laptop',
  expiresAt: later,
  ownerRevision: 3,
  isPublic: false,
  hash: 'h',
  lastFour: '1234',
  at,
};
const created: ApiKeyEvent = { type: 'ApiKeyCreated', data };
const publicOne: ApiKeyEvent = { type: 'ApiKeyCreated', data: { ...data, isPublic: true } };
const revoked = (by: 'owner' | 'scanner'): ApiKeyEvent => ({
  type: 'ApiKeyRevoked',
  data: { keyId, projectId, by, at },
});
const changed = (description: string | null, expiresAt: string | null): ApiKeyEvent => ({
  type: 'ApiKeyChanged',
  data: { keyId, projectId, ownerId, description, expiresAt, at },
});

describe('an API key', () => {
  test('is created', () =>
    given(apiKeyDecider)
      .when({ type: 'CreateApiKey', ...data })
      .then(created));
  test('changes only the given fields, even when revoked', () => {
    given(apiKeyDecider, created).when({ type: 'ChangeApiKey', description: 'desk', at }).then(changed('desk', later));
    given(apiKeyDecider, created, revoked('owner'))
      .when({ type: 'ChangeApiKey', expiresAt: null, at })
      .then(changed('laptop', null));
    given(apiKeyDecider, created).when({ type: 'ChangeApiKey', description: 'laptop', expiresAt: later, at }).then();
  });
  test('is revoked once, and for good', () => {
    given(apiKeyDecider, created).when({ type: 'RevokeApiKey', at }).then(revoked('owner'));
    given(apiKeyDecider, publicOne).when({ type: 'RevokeApiKey', at }).then(revoked('owner'));
    given(apiKeyDecider, created, revoked('scanner')).when({ type: 'RevokeApiKey', at }).then();
  });
  test('that does not exist rejects every command', () => {
    for (const type of ['ChangeApiKey', 'RevokeApiKey', 'RevokeLeakedApiKey'] as const) {
      given(apiKeyDecider).when({ type, at }).thenRejected('API_KEY_NOT_FOUND');
    }
  });
  test('keeps the time of its first revocation', () => {
    const second: ApiKeyEvent = { type: 'ApiKeyRevoked', data: { keyId, projectId, by: 'owner', at } };
    const state = [created, second].reduce(apiKeyDecider.evolve, apiKeyDecider.initialState);
    expect(state).toMatchObject({ status: 'present', revokedAt: at, createdAt: at });
  });
});

describe('a leaked key', () => {
  const leaked = (now = at) => ({ type: 'RevokeLeakedApiKey', at: now }) as const;
  test('is revoked', () => given(apiKeyDecider, created).when(leaked()).then(revoked('scanner')));
  test('that is already revoked does not change', () =>
    given(apiKeyDecider, created, revoked('owner')).when(leaked(later)).then());
  test('that has expired is rejected as expired', () =>
    given(apiKeyDecider, created).when(leaked(later)).thenRejected('API_KEY_EXPIRED'));
  test('that is public is not revoked', () =>
    given(apiKeyDecider, publicOne).when(leaked()).thenRejected('PUBLIC_API_KEY_CANNOT_BE_REVOKED'));
});
