import type { SessionEvent } from '@gatebook/domain/session/events';
import type { UserEvent } from '@gatebook/domain/user/events';
import type { WriteDeps } from '../deps.ts';
import { streamOf } from '../streams.ts';

/**
 * Whether the session lives, read from the log by the rule that the read model follows: neither ended nor expired, its user
 * there, and not started on a revision of the user below that of the last `UserSessionsEnded`, unless it is the kept one.
 */
export async function isSessionAlive({ store, now }: WriteDeps, sessionId: string): Promise<boolean> {
  const session = await store.readStream<SessionEvent>(streamOf.session(sessionId));
  const started = session.events.find((event) => event.type === 'SessionStarted');
  if (!started || session.events.some(({ type }) => type === 'SessionEnded') || started.data.expiresAt <= now())
    return false;
  const user = await store.readStream<UserEvent>(streamOf.user(started.data.userId));
  if (user.events.some(({ type }) => type === 'UserDeleted')) return false;
  const ended = user.events.findLast((event) => event.type === 'UserSessionsEnded');
  return !ended || BigInt(started.data.userRevision) >= ended.revision || ended.data.keptSessionId === sessionId;
}
