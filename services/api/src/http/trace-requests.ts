import type { RequestSpan, Tracers } from '@gatebook/runtime/instruments';
import type { FastifyInstance } from 'fastify';
import { actualStatus } from './conventions.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Null: not traced. */
    span: RequestSpan | null;
  }
}

/** Records a span for each request under its route's template, never under its path. Add it before all other hooks. */
export function traceRequests(app: FastifyInstance, traceRequest: NonNullable<Tracers['traceRequest']>): void {
  app.decorateRequest('span', null);
  app.addHook('onRequest', (request, _reply, done) => {
    const { headers, method, id: correlationId } = request;
    request.span = traceRequest({ headers, method, correlationId });
    request.span.run(done);
  });
  // The body arrives in events of the connection, which are outside the span.
  app.addHook('preValidation', ({ span }, _reply, done) => (span ? span.run(done) : done()));
  app.addHook('onResponse', async (request, reply) => {
    request.span?.end({
      route: request.is404 ? null : (request.routeOptions.url ?? null),
      status: actualStatus(reply),
      projectId: (request.caller ?? request.live)?.projectId ?? null,
      error: request.failure ?? null,
    });
  });
}
