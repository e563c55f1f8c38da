import { HealthView, ReadyView } from '@gatebook/contract/health';
import { withoutProjects } from '@gatebook/projections/operations/problems';
import { checkReadiness, type Readiness } from '@gatebook/projections/operations/readiness';
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import type { Deps } from '../../deps.ts';
import { defineRoute } from '../../http/define-route.ts';

const cors = {
  'access-control-allow-origin': '*',
  'access-control-allow-methods': '*',
  'access-control-allow-headers': '*',
  'access-control-expose-headers': '*',
};

/** Liveness; with `?db=…` the project table is read first, and a failure is a 500 (protocol, conventions §1). */
export const healthRoute = defineRoute({
  method: 'GET',
  path: '/health',
  isRoot: true,
  access: 'anyone',
  tags: ['Health'],
  summary: 'Check liveness',
  description: 'With `db`, checks the database too.',
  query: z.object({ db: z.string().max(256).optional() }),
  response: { 200: HealthView },
  handle: async ({ deps, reply, query }) => {
    reply.headers(cors);
    if (query.db) await deps.projects.check();
    return { status: 'ok' as const };
  },
});

const running = new WeakMap<FastifyInstance, Promise<Readiness>>();

/** Anyone can ask, and a check takes connections and a turn among appends: so there is one at a time. */
function shareCheck(server: FastifyInstance, deps: Deps): Promise<Readiness> {
  const known = running.get(server);
  if (known) return known;
  const check = checkReadiness(deps).finally(() => running.delete(server));
  running.set(server, check);
  return check;
}

/** Readiness of database, event log and projections. */
export const readyRoute = defineRoute({
  method: 'GET',
  path: '/health/ready',
  isRoot: true,
  access: 'anyone',
  tags: ['Health'],
  summary: 'Check readiness',
  description:
    'Checks the database, the event log, appends, projections, reactors, and that a projector and a worker run. Returns the problems, and 503 if one of them is critical. Counts projects with a problem, and names none.',
  response: { 200: ReadyView, 503: ReadyView },
  handle: async ({ deps, request, reply }) => {
    const readiness = await shareCheck(request.server, deps);
    reply.headers(cors).header('cache-control', 'no-store');
    return reply.code(readiness.isReady ? 200 : 503).send(toReadyView(readiness));
  },
});

function toReadyView({ isReady, readModels, oldestUnprojectedMs, problems, database, log, lag }: Readiness): ReadyView {
  return {
    status: isReady ? 'ok' : 'unavailable',
    database,
    log,
    lag,
    read_models: readModels,
    oldest_unprojected_millis: oldestUnprojectedMs,
    // Anyone can ask. Operators see the projects on the Operations page.
    problems: withoutProjects(problems),
  };
}
