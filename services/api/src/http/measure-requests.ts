import type { Instruments, Limiter } from '@gatebook/runtime/instruments';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { actualStatus } from './conventions.ts';
import { TooManyRequestsError } from './rate-limits.ts';

/** Reports each response under its route's template, never under its path. */
export function measureRequests(app: FastifyInstance, { responded }: Pick<Instruments, 'responded'>): void {
  app.addHook('onResponse', (request, reply, done) => {
    responded({
      method: request.method,
      route: request.is404 ? null : (request.routeOptions.url ?? null),
      status: actualStatus(reply),
      seconds: (request.live?.beganAfterMs ?? reply.elapsedTime) / 1_000,
      rejectedBy: limiterOf(request),
    });
    done();
  });
}

function limiterOf({ failure }: FastifyRequest): Limiter | null {
  if (failure instanceof TooManyRequestsError) return failure.limiter;
  return failure?.name === 'OverloadedError' ? 'password_queue' : null;
}
