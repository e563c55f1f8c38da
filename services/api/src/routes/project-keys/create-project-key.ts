import { createProjectKey } from '@gatebook/commands/project-key/project-key';
import { CreateProjectKey, ProjectKeyFirstView } from '@gatebook/contract/project-keys';
import { adminOnly } from '../../access.ts';
import { defineRoute } from '../../http/define-route.ts';
import { quotaFor } from '../../quotas.ts';

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
      body: {
        id: keyId,
        description: body.description,
        created_at_millis: Date.parse(createdAt),
        expires_at_millis: body.expires_at_millis,
        ...(texts.publishableClientKey === null ? {} : { publishable_client_key: texts.publishableClientKey }),
        ...(texts.secretServerKey === null ? {} : { secret_server_key: texts.secretServerKey }),
        ...(texts.superSecretAdminKey === null ? {} : { super_secret_admin_key: texts.superSecretAdminKey }),
      },
    };
  },
});
