import { describeProjectKey, revokeProjectKey } from '@gatebook/commands/project-key/project-key';
import { ProjectKeyParams, ProjectKeyPatch, ProjectKeyView } from '@gatebook/contract/project-keys';
import { findProjectKey } from '@gatebook/readmodel/projects/queries';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { callerOf } from '../../access.ts';
import { contextOf } from '../../context.ts';
import type { Deps } from '../../deps.ts';
import { afterWrite } from '../../http/read-your-writes.ts';
import { toProjectKeyView } from './wire.ts';

/** A revoked key is rejected from the next request on. */
export const updateProjectKeyRoute =
  (deps: Deps): FastifyPluginAsyncZod =>
  async (app) => {
    app.patch('/internal/api-keys/:key_id', {
      schema: {
        tags: ['Project keys'],
        summary: 'Describe or revoke a key set',
        description: 'A revoked key is rejected from the next request on, for good.',
        params: ProjectKeyParams,
        body: ProjectKeyPatch,
        response: { 200: ProjectKeyView },
      },
      handler: async (request, reply) => {
        const caller = callerOf(request);
        const { projectId } = caller;
        const keyId = request.params.key_id;
        const { description, revoked } = request.body;
        const find = () => findProjectKey(deps.db, projectId, keyId);
        const before = await find();
        const context = contextOf(request, caller);
        const described =
          description === undefined ? null : await describeProjectKey(deps, context, { keyId, description });
        const ended = revoked ? await revokeProjectKey(deps, context, { keyId }) : null;
        const position = ended?.position ?? described?.position ?? null;
        await deps.projects.forget(projectId, position);
        const after = await afterWrite(deps, reply, position, find, () => ({
          ...before,
          description: description ?? before.description,
          revokedAt: revoked ? (before.revokedAt ?? Date.parse(deps.now())) : before.revokedAt,
        }));
        return toProjectKeyView(after);
      },
    });
  };
