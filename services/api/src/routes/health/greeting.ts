import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { Caller } from '../../caller.ts';
import type { Deps } from '../../deps.ts';

/** Says how the caller was recognised, so that it doubles as a test of keys (protocol, conventions §1). */
export const greetingRoute =
  ({ version }: Deps): FastifyPluginAsyncZod =>
  async (app) => {
    app.get('', {
      schema: {
        tags: ['Health'],
        summary: 'A greeting that tells who is calling',
        description: 'Also a test of keys.',
        querystring: z.strictObject({}),
        produces: ['text/plain'],
        response: { 200: { content: { 'text/plain': { schema: z.string() } } } },
      },
      handler: async (request, reply) =>
        reply
          .type('text/plain; charset=utf-8')
          .send(`Welcome to Gatebook ${version}.\n\n${introduction(request.caller)}`),
    });
  };

function introduction(caller: Caller | null): string {
  if (!caller) return 'Authentication: none\n';
  const { accessType, projectId, user } = caller;
  return `Authentication: ${accessType}\n  Project: ${projectId}\n  User: ${user?.primaryEmail ?? user?.id ?? 'none'}\n`;
}
