import { HealthView, ReadyView } from '@gatebook/contract/health';
import { checkReadiness, type Readiness } from '@gatebook/projections/operations/readiness';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { Deps } from '../../deps.ts';

const cors = {
  'access-control-allow-origin': '*',
  'access-control-allow-methods': '*',
  'access-control-allow-headers': '*',
  'access-control-expose-headers': '*',
};

/** Liveness; with `?db=…` the project table is read first, and a failure is a 500 (protocol, conventions §1). */
export const healthRoute =
  (deps: Deps): FastifyPluginAsyncZod =>
  async (app) => {
    app.get('/health', {
      schema: {
        tags: ['Health'],
        summary: 'Whether the process answers',
        description: 'With `db`, whether the database does too.',
        querystring: z.object({ db: z.string().max(256).optional() }),
        response: { 200: HealthView },
      },
      handler: async (request, reply) => {
        reply.headers(cors);
        if (request.query.db) await deps.projects.check();
        return { status: 'ok' as const };
      },
    });
  };

/** Readiness: database, log, and read models that follow it. */
export const readyRoute =
  (deps: Deps): FastifyPluginAsyncZod =>
  async (app) => {
    app.get('/health/ready', {
      schema: {
        tags: ['Health'],
        summary: 'Whether everything works',
        description: 'Database, log, and read models that follow it; 503 when one does not.',
        response: { 200: ReadyView, 503: ReadyView },
      },
      handler: async (_request, reply) => {
        const readiness = await checkReadiness(deps);
        reply.headers(cors).header('cache-control', 'no-store');
        return reply.code(readiness.isReady ? 200 : 503).send(toReadyView(readiness));
      },
    });
  };

function toReadyView({ isReady, readModels, ...parts }: Readiness): ReadyView {
  return { status: isReady ? 'ok' : 'unavailable', ...parts, read_models: readModels };
}
