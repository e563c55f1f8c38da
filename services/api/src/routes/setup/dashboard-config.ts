import { DashboardConfigView } from '@gatebook/contract/setup';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import type { Deps } from '../../deps.ts';

/** Everything that the dashboard needs before anybody is signed in; nothing in it is secret. */
export const dashboardConfigRoute =
  ({ config, version }: Deps): FastifyPluginAsyncZod =>
  async (app) => {
    app.get('/dashboard/config.json', {
      schema: {
        tags: ['Set-up'],
        summary: 'What the dashboard starts with',
        description: 'Nothing of it is secret.',
        response: { 200: DashboardConfigView },
      },
      handler: async (_request, reply) => {
        reply.header('cache-control', 'no-store');
        return {
          api_url: config.http.publicUrl,
          project_id: 'internal' as const,
          publishable_client_key: config.internal.publishableClientKey,
          sign_up: config.internal.signUp,
          version,
        };
      },
    });
  };
