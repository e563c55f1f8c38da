import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Deps } from '../deps.ts';
import { createAdmission, type Sender } from './admission.ts';
import type { LimitName } from './limit-rules.ts';
import { isLimitedWrite, rejectUntilLater } from './rate-limits.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Ends the request's turn among the bulk writes of its project. */
    leaveTurn?: () => void;
  }
}

const signIns: ReadonlySet<LimitName | undefined> = new Set<LimitName>([
  'sign-in',
  'refresh',
  'send-code',
  'code',
  'passkey-challenge',
  'oauth',
  'cli-login',
  'cli-poll',
]);

function senderOf({ caller, routeOptions: { config } }: FastifyRequest): Sender {
  if (signIns.has(config.limit)) return 'sign-in';
  return caller?.accessType === 'client' ? 'user' : 'bulk';
}

/** Keeps the writes of one project from delaying those of others (docs/rate-limits.md). */
export function admitWrites(app: FastifyInstance, { acknowledgedWrites }: Pick<Deps, 'acknowledgedWrites'>): void {
  const admission = createAdmission((projectId) => acknowledgedWrites.backlog(projectId));
  app.addHook('preHandler', async (request, reply) => {
    const { caller, method, url } = request;
    if (!caller || !isLimitedWrite(method, url) || request.routeOptions.config.writesNothing) return;
    const admitted = await admission.enter(caller.projectId, senderOf(request));
    if ('leave' in admitted) request.leaveTurn = admitted.leave;
    else rejectUntilLater(reply, admitted.retryAfterSeconds, 'admission');
  });
  app.addHook('onSend', async (request, _reply, payload) => {
    request.leaveTurn?.();
    return payload;
  });
}
