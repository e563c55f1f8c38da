import { createProjectKey } from '@gatebook/commands/project-key/project-key';
import { CreateProjectKey, ProjectKeyFirstView } from '@gatebook/contract/project-keys';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { callerOf } from '../../access.ts';
import { contextOf } from '../../context.ts';
import type { Deps } from '../../deps.ts';
import { waitFor } from '../../http/read-your-writes.ts';
import { quotaFor } from '../../quotas.ts';

/** The one time that whole key texts are told. Answers 200, as the protocol does (projects.md §6). */
export const createProjectKeyRoute =
  (deps: Deps): FastifyPluginAsyncZod =>
  async (app) => {
    app.post('/internal/api-keys', {
      schema: {
        tags: ['Project keys'],
        summary: 'Create a key set',
        description: 'The one time that the keys are told whole.',
        body: CreateProjectKey,
        response: { 200: ProjectKeyFirstView },
      },
      handler: async (request, reply) => {
        const caller = callerOf(request);
        const { body } = request;
        const { keyId, createdAt, texts, position } = await createProjectKey(deps, contextOf(request, caller), {
          description: body.description,
          expiresAt: new Date(body.expires_at_millis).toISOString(),
          hasPublishableClientKey: body.has_publishable_client_key,
          hasSecretServerKey: body.has_secret_server_key,
          hasSuperSecretAdminKey: body.has_super_secret_admin_key,
          limit: quotaFor(caller, 'projectKeys'),
        });
        await deps.projects.forget(caller.projectId, position);
        await waitFor(deps, reply, position);
        return {
          id: keyId,
          description: body.description,
          created_at_millis: Date.parse(createdAt),
          expires_at_millis: body.expires_at_millis,
          ...(texts.publishableClientKey === null ? {} : { publishable_client_key: texts.publishableClientKey }),
          ...(texts.secretServerKey === null ? {} : { secret_server_key: texts.secretServerKey }),
          ...(texts.superSecretAdminKey === null ? {} : { super_secret_admin_key: texts.superSecretAdminKey }),
        };
      },
    });
  };
