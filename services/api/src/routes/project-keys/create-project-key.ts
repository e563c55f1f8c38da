import { createProjectKey, type KeyTexts, rotateProjectKey } from '@gatebook/commands/project-key/project-key';
import {
  CreateProjectKey,
  ProjectKeyFirstView,
  ProjectKeyParams,
  ProjectKeyRotation,
} from '@gatebook/contract/project-keys';
import { findProjectKey } from '@gatebook/readmodel/projects/queries';
import { adminOnly } from '../../access.ts';
import { defineRoute } from '../../http/define-route.ts';
import { quotaFor } from '../../quotas.ts';
import { requireRole } from '../../roles.ts';

/** The only response with whole keys. Returns 200, as the protocol does (protocol, projects §6). */
export const createProjectKeyRoute = defineRoute({
  method: 'POST',
  path: '/internal/api-keys',
  access: adminOnly,
  // A key acts as an owner.
  role: { least: 'developer', fields: { has_super_secret_admin_key: 'owner' } },
  isPreviewable: true,
  errors: ['QUOTA_EXCEEDED'],
  tags: ['Project keys'],
  summary: 'Create a project key set',
  description: 'This is the only response that contains the whole keys.',
  body: CreateProjectKey,
  response: { 200: ProjectKeyFirstView },
  handle: async ({ deps, caller, context, body }) => {
    const { keyId, createdAt, texts, position } = await createProjectKey(deps, context, {
      description: body.description,
      expiresAt: new Date(body.expires_at_millis).toISOString(),
      hasPublishableClientKey: body.has_publishable_client_key,
      hasSecretServerKey: body.has_secret_server_key,
      hasSuperSecretAdminKey: body.has_super_secret_admin_key,
      limit: quotaFor(caller, 'projectKeys'),
    });
    await deps.projects.forget(caller.projectId, position);
    return {
      position,
      body: toFirstView({ keyId, createdAt, texts, description: body.description }, body.expires_at_millis),
    };
  },
});

export const rotateProjectKeyRoute = defineRoute({
  method: 'POST',
  path: '/internal/api-keys/:key_id/rotate',
  access: adminOnly,
  isPreviewable: true,
  errors: ['API_KEY_NOT_FOUND', 'QUOTA_EXCEEDED'],
  tags: ['Project keys'],
  summary: 'Rotate a project key set',
  description:
    'Creates a key set with the same kinds of keys and the same description. Both work until the old one expires. This is the only response that contains the whole keys. A set with an admin key is rotated by owners only.',
  params: ProjectKeyParams,
  body: ProjectKeyRotation,
  response: { 200: ProjectKeyFirstView },
  handle: async ({ deps, caller, context, params, body }) => {
    const { superSecretAdminKeyLastFour: adminKey } = await findProjectKey(deps.db, caller.projectId, params.key_id);
    if (adminKey !== null) requireRole(caller, 'owner');
    const { position, ...created } = await rotateProjectKey(deps, context, {
      keyId: params.key_id,
      expiresAt: new Date(body.expires_at_millis).toISOString(),
      oldExpiresAt: new Date(body.old_expires_at_millis).toISOString(),
      limit: quotaFor(caller, 'projectKeys'),
    });
    await deps.projects.forget(caller.projectId, position);
    return { position, body: toFirstView(created, body.expires_at_millis) };
  },
});

type Created = { keyId: string; description: string; createdAt: string; texts: KeyTexts };

const toFirstView = ({ keyId, description, createdAt, texts }: Created, expiresAt: number): ProjectKeyFirstView => ({
  id: keyId,
  description,
  created_at_millis: Date.parse(createdAt),
  expires_at_millis: expiresAt,
  ...(texts.publishableClientKey === null ? {} : { publishable_client_key: texts.publishableClientKey }),
  ...(texts.secretServerKey === null ? {} : { secret_server_key: texts.secretServerKey }),
  ...(texts.superSecretAdminKey === null ? {} : { super_secret_admin_key: texts.superSecretAdminKey }),
});
