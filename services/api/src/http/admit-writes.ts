import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Caller } from '../caller.ts';
import type { Deps } from '../deps.ts';
import { createAdmission, type Sender } from './admission.ts';
import type { LimitName } from './limit-rules.ts';
import { isLimitedWrite, rejectUntilLater } from './rate-limits.ts';
import { addStep } from './steps.ts';

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
  'passkey-sign-in',
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
  async function admit(request: FastifyRequest, reply: FastifyReply, { projectId }: Caller): Promise<void> {
    const admitted = await admission.enter(projectId, senderOf(request));
    if ('leave' in admitted) request.leaveTurn = admitted.leave;
    else rejectUntilLater(reply, admitted.retryAfterSeconds, 'admission');
  }
  addStep(app, 'preHandler', (request, reply, { config }) => {
    const { caller, method, url, preview } = request;
    // The request for the preview has a turn already.
    if (preview) return undefined;
    if (caller && isLimitedWrite(method, url) && !config.writesNothing) return admit(request, reply, caller);
  });
  addStep(app, 'onSend', (request) => {
    request.leaveTurn?.();
  });
}
