import type { SessionEvent } from '@gatebook/domain/session/events';
import type { UserEvent } from '@gatebook/domain/user/events';
import type { UserState } from '@gatebook/domain/user/state';
import type { WriteDeps } from '../deps.ts';
import { streamOf } from '../streams.ts';

/**
 * Whether a session is alive, by the rule of docs/decisions/0001 and from the log itself, which is never stale: neither ended nor
 * expired, its user not deleted, and not ended with the user's other sessions.
 */
export async function isSessionAlive(
  { store, now }: Pick<WriteDeps, 'store' | 'now'>,
  sessionId: string,
): Promise<boolean> {
  const session = await store.readStream<SessionEvent>(streamOf.session(sessionId));
  const started = session.events.find((event) => event.type === 'SessionStarted');
  if (!started || session.events.some(({ type }) => type === 'SessionEnded') || started.data.expiresAt <= now())
    return false;
  const user = await store.readStream<UserEvent>(streamOf.user(started.data.userId));
  if (user.events.some(({ type }) => type === 'UserDeleted')) return false;
  const ended = user.events.findLast((event) => event.type === 'UserSessionsEnded');
  return !ended || BigInt(started.data.userRevision) >= ended.revision || ended.data.keptSessionId === sessionId;
}

/** Whether all sessions of the user, but perhaps one, were ended after this revision of their stream. */
export function wereSessionsEndedSince(user: UserState, userRevision: number): boolean {
  return user.status === 'active' && user.sessionsEnded !== null && user.sessionsEnded.revision > userRevision;
}
