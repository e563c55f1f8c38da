import type { Recorded } from '@gatebook/domain/event';
import type { FastifyRequest } from 'fastify';
import { callerOf } from '../access.ts';
import type { Deps } from '../deps.ts';
import { checkCallerAgain } from './callers.ts';

export type LiveAccess = {
  /** Whether an event can end the right to read. */
  endsAccess(event: Recorded): boolean;
  /** Rejects once the caller has no right to read. */
  recheck(): Promise<void>;
};

type Parts = Pick<Deps, 'projects' | 'tokens' | 'db' | 'responseCipher' | 'activity' | 'now'>;

/** The caller's right to read. It is checked again, as at the start, after each event that can end it. */
export function accessOf(parts: Parts, request: FastifyRequest): LiveAccess {
  const { projectId, owner, token, keyId } = callerOf(request);
  const openedAt = Date.parse(parts.now());
  const members = [
    { userId: owner?.id, sessionId: owner?.sessionId },
    { userId: token?.userId, sessionId: token?.sessionId },
  ];
  const watched = [
    `project-${projectId}`,
    ...(keyId === null ? [] : [`projectkey-${keyId}`]),
    ...members.flatMap(({ userId, sessionId }) => (userId ? [`user-${userId}`, `session-${sessionId}`] : [])),
  ];
  const isOfOwner = owner !== null;
  return {
    endsAccess: ({ stream, metadata }) =>
      watched.includes(stream) ||
      // Owners of projects can be teams.
      (isOfOwner && metadata.projectId === 'internal' && /^(team|membership)-/.test(stream)),
    // An access token ends a few minutes after it began. Its session counts, which is checked too.
    recheck: () => checkCallerAgain(parts, request, keyId === null ? openedAt : Date.parse(parts.now())),
  };
}
