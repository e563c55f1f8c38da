import { describe, test } from 'vitest';
import { given } from '../spec.ts';
import { projectKeyDecider } from './decide.ts';
import type { ProjectKeyEvent } from './events.ts';

const at = '2026-01-15T12:00:00.000Z';
const later = '2026-01-16T12:00:00.000Z';
const keyId = '00000000-0000-4000-8000-000000000001';
const projectId = '00000000-0000-4000-8000-000000000002';
const parts = {
  publishableClientKey: { hash: 'a', lastFour: 'aaaa' },
  secretServerKey: null,
  superSecretAdminKey: null,
};
const data = { keyId, projectId, description: 'website', ...parts, expiresAt: '2027-01-15T12:00:00.000Z', at };
const created: ProjectKeyEvent = { type: 'ProjectKeyCreated', data };
const revoked: ProjectKeyEvent = { type: 'ProjectKeyRevoked', data: { keyId, projectId, at } };
const describeAs = (description: string, project = projectId) =>
  ({ type: 'DescribeProjectKey', projectId: project, description, at }) as const;
const revoke = { type: 'RevokeProjectKey', projectId, at: later } as const;

describe('a project key', () => {
  test('is created', () =>
    given(projectKeyDecider)
      .when({ type: 'CreateProjectKey', ...data })
      .then(created));
  test('gets a new description, even when revoked', () => {
    const described: ProjectKeyEvent = {
      type: 'ProjectKeyDescribed',
      data: { keyId, projectId, description: 'app', at },
    };
    given(projectKeyDecider, created).when(describeAs('app')).then(described);
    given(projectKeyDecider, created, revoked).when(describeAs('app')).then(described);
    given(projectKeyDecider, created).when(describeAs('website')).then();
  });
  test('is revoked once: the first time stays', () => {
    given(projectKeyDecider, created)
      .when(revoke)
      .then({ type: 'ProjectKeyRevoked', data: { keyId, projectId, at: later } });
    given(projectKeyDecider, created, revoked).when(revoke).then();
  });
  test('gets another expiration, unless it is revoked', () => {
    const expiresAt = later;
    const change = { type: 'ChangeProjectKeyExpiry', projectId, expiresAt, at } as const;
    const changed: ProjectKeyEvent = { type: 'ProjectKeyExpiryChanged', data: { keyId, projectId, expiresAt, at } };
    given(projectKeyDecider, created).when(change).then(changed);
    given(projectKeyDecider, created, changed).when(change).then();
    given(projectKeyDecider, created, revoked).when(change).then();
  });
  test('is replaced only when its texts differ', () => {
    const other = { ...parts, secretServerKey: { hash: 'b', lastFour: 'bbbb' } };
    given(projectKeyDecider, created)
      .when({ type: 'ReplaceProjectKey', projectId, ...parts, at })
      .then();
    given(projectKeyDecider, created)
      .when({ type: 'ReplaceProjectKey', projectId, ...other, at })
      .then({ type: 'ProjectKeyReplaced', data: { keyId, projectId, ...other, at } });
  });
});

describe('is rejected', () => {
  test('for an unknown key', () => given(projectKeyDecider).when(revoke).thenRejected('API_KEY_NOT_FOUND'));
  test("another project's key", () =>
    given(projectKeyDecider, created).when(describeAs('app', 'internal')).thenRejected('API_KEY_NOT_FOUND'));
});
