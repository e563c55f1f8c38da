import type { Context } from '@gatebook/commands/deps';
import type { FastifyRequest } from 'fastify';
import type { Caller } from './caller.ts';

/** The context in which the commands of this request run. */
export function contextOf(request: FastifyRequest, caller: Caller): Context {
  const { ip, userAgent } = request.endUser;
  return {
    projectId: caller.projectId,
    actor: actorOf(caller),
    requestId: request.id,
    ip,
    userAgent,
    session: sessionOf(caller),
    idempotencyHash: request.idempotencyHash,
  };
}

/** For requests that sign a user in: the user of the access token is not the user who signs in. */
export const signedOutContext = (request: FastifyRequest, caller: Caller): Context =>
  contextOf(request, { ...caller, user: null });

function sessionOf({ token, user, sessionRevision: userRevision }: Caller): Context['session'] {
  if (!user || token?.userId !== user.id || userRevision === null) return null;
  return { userId: user.id, sessionId: token.sessionId, userRevision };
}

function actorOf({ accessType, owner, user, token, keyId }: Caller): Context['actor'] {
  if (owner) return { kind: 'owner', id: owner.id };
  if (accessType !== 'client') return { kind: accessType, id: keyId };
  if (!user) return { kind: 'client', id: null };
  return { kind: 'user', id: user.id, ...(token?.impersonator && { impersonator: token.impersonator }) };
}
