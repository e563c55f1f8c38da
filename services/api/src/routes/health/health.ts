import { HealthView, ReadyView } from '@gatebook/contract/health';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { Deps } from '../../deps.ts';
import { followersOf } from '../operations/status.ts';

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
        querystring: z.object({ db: z.string().optional() }),
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
      schema: { tags: ['Health'], summary: 'Whether everything works', response: { 200: ReadyView, 503: ReadyView } },
      handler: async (_request, reply) => {
        const readiness = await checkReadiness(deps);
        reply.headers(cors).header('cache-control', 'no-store');
        return reply.code(readiness.status === 'ok' ? 200 : 503).send(readiness);
      },
    });
  };

async function checkReadiness({ generations, store, logger }: Deps): Promise<ReadyView> {
  const [known, head] = await Promise.allSettled([generations(), store.head()]);
  for (const result of [known, head]) {
    if (result.status === 'rejected') logger.warn({ err: result.reason }, 'readiness check failed');
  }
  const position = head.status === 'fulfilled' ? head.value : 0n;
  const followers = known.status === 'fulfilled' ? followersOf(known.value, position) : [];
  const main = followers.find(({ name }) => name === 'main');
  const readModels = !main || main.state === 'building' ? 'failed' : main.state === 'stopped' ? 'stalled' : 'ok';
  return {
    status: readModels === 'ok' && head.status === 'fulfilled' ? 'ok' : 'unavailable',
    database: known.status === 'fulfilled' ? 'ok' : 'failed',
    log: head.status === 'fulfilled' ? 'ok' : 'failed',
    read_models: readModels,
    lag: main && head.status === 'fulfilled' ? Number(main.lag) : null,
  };
}
