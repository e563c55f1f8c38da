import { describeProjectKey, revokeProjectKey } from '@gatebook/commands/project-key/project-key';
import { ProjectKeyParams, ProjectKeyPatch, ProjectKeyView } from '@gatebook/contract/project-keys';
import { findProjectKey } from '@gatebook/readmodel/projects/queries';
import { adminOnly } from '../../access.ts';
import { defineRoute } from '../../http/define-route.ts';
import { toProjectKeyView } from './wire.ts';

export const updateProjectKeyRoute = defineRoute({
  method: 'PATCH',
  path: '/internal/api-keys/:key_id',
  access: adminOnly,
  isPreviewable: true,
  errors: ['API_KEY_NOT_FOUND'],
  tags: ['Project keys'],
  summary: 'Update or revoke a project key set',
  description: 'Revoking takes effect with the next request and can’t be undone.',
  params: ProjectKeyParams,
  body: ProjectKeyPatch,
  response: { 200: ProjectKeyView },
  handle: async ({ deps, caller, context, params, body }) => {
    const { projectId } = caller;
    const keyId = params.key_id;
    const { description, revoked } = body;
    const find = () => findProjectKey(deps.db, projectId, keyId);
    const before = await find();
    const described =
      description === undefined ? null : await describeProjectKey(deps, context, { keyId, description });
    const ended = revoked ? await revokeProjectKey(deps, context, { keyId }) : null;
    const position = ended?.position ?? described?.position ?? null;
    await deps.projects.forget(projectId, position);
    return {
      position,
      body: async () => toProjectKeyView(await find()),
      stale: () =>
        toProjectKeyView({
          ...before,
          description: description ?? before.description,
          revokedAt: revoked ? (before.revokedAt ?? Date.parse(deps.now())) : before.revokedAt,
        }),
    };
  },
});
