import { apiKeyDecider } from '@gatebook/domain/api-key/decide';
import type { ApiKeyState } from '@gatebook/domain/api-key/state';
import { projectKeyDecider } from '@gatebook/domain/project-key/decide';
import type { ProjectKeyState } from '@gatebook/domain/project-key/state';
import { requireKey } from '../api-key/api-key.ts';
import { streamOf } from '../streams.ts';
import type { Restorable } from './restorable.ts';

type ApiKeyValues = { description: string | null; expires_at: string | null };

export const restorableApiKey: Restorable<ApiKeyState, ApiKeyValues> = {
  valuesOf: (key) => (key.status === 'present' ? { description: key.description, expires_at: key.expiresAt } : null),
  restore: async (work, keyId, { to }, { at }) => {
    const key = await work.load(apiKeyDecider, streamOf.apiKey(keyId));
    await requireKey(work, key.state);
    const { description, expires_at: expiresAt } = to;
    key.decide({ type: 'ChangeApiKey', description: description ?? undefined, expiresAt, at });
  },
};

type ProjectKeyValues = { description: string; expires_at: string };

export const restorableProjectKey: Restorable<ProjectKeyState, ProjectKeyValues> = {
  valuesOf: (key) => (key.status === 'absent' ? null : { description: key.description, expires_at: key.expiresAt }),
  restore: async (work, keyId, { to }, { at }) => {
    const { projectId } = work.ctx;
    const key = await work.load(projectKeyDecider, streamOf.projectKey(keyId));
    key.decide({ type: 'DescribeProjectKey', projectId, description: to.description, at });
    key.decide({ type: 'ChangeProjectKeyExpiry', projectId, expiresAt: to.expires_at, at });
  },
};
