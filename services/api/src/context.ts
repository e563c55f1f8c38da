import type { Context } from '@gatebook/commands/deps';
import type { Origin } from '@gatebook/domain/event';
import type { FastifyRequest } from 'fastify';
import type { Caller } from './caller.ts';
import { isBrowser } from './http/end-user.ts';
import { clientNetworkOf } from './http/limit-keys.ts';

/** What the commands of a request record about it, for every kind of caller. */
export function requestContext(
  request: FastifyRequest,
): Required<Pick<Context, 'requestId' | 'endUser' | 'origin' | 'language' | 'idempotencyHash'>> {
  const { id: requestId, endUser, clientAddress: ip, language, idempotencyHash } = request;
  return { requestId, endUser, origin: { ip, userAgent: endUser.userAgent }, language, idempotencyHash };
}

/** The context in which the commands of this request run. */
export function contextOf(request: FastifyRequest, caller: Caller): Context {
  const actor = actorOf(caller);
  const context = { ...requestContext(request), projectId: caller.projectId, actor };
  const isServer = actor.kind === 'server' || actor.kind === 'admin';
  return {
    ...context,
    // A server passes on the address and the browser of its visitor, who does not act and is not erased with the key.
    ...(isServer && { origin: serverOrigin(request) }),
    network: (isServer || caller.isFromServer) && !request.isAddressPassedOn ? null : clientNetworkOf(request),
    session: sessionOf(caller),
    sessionId: actingSessionOf(caller, actor),
    language: languageOfUser(request, actor),
    sessionLifetimeHours: caller.project.settings.sessionLifetimeHours,
  };
}

/** Servers pass on the header of their visitor. Owners and impersonators may read another language than the user. */
function languageOfUser({ language }: FastifyRequest, { kind, impersonator }: Context['actor']): Context['language'] {
  return kind === 'owner' || impersonator ? null : language;
}

function serverOrigin({ senderAddress: ip, endUser: { userAgent } }: FastifyRequest): Origin {
  return { ip, userAgent: isBrowser(userAgent) ? null : userAgent };
}

/** For requests that sign a user in: the user of the access token is not the user who signs in. */
export const signedOutContext = (request: FastifyRequest, caller: Caller): Context =>
  contextOf(request, { ...caller, user: null });

function sessionOf({ token, user, sessionRevision: userRevision }: Caller): Context['session'] {
  if (!user || token?.userId !== user.id || userRevision === null) return null;
  return { userId: user.id, sessionId: token.sessionId, userRevision };
}

export function actorOf({ accessType, owner, user, token, keyId }: Caller): Context['actor'] {
  if (owner) return { kind: 'owner', id: owner.id };
  if (accessType !== 'client') return { kind: accessType, id: keyId };
  if (!user) return { kind: 'client', id: null };
  return { kind: 'user', id: user.id, ...(token?.impersonator && { impersonator: token.impersonator }) };
}

function actingSessionOf({ owner, token }: Caller, { kind }: Context['actor']): string | null {
  if (kind === 'owner') return owner?.sessionId ?? null;
  return kind === 'user' ? (token?.sessionId ?? null) : null;
}
