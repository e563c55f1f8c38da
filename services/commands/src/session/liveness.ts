import type { SessionEvent } from '@gatebook/domain/session/events';
import { userDecider } from '@gatebook/domain/user/decide';
import { hasEndedWithOthers, type UserState } from '@gatebook/domain/user/state';
import type { WriteDeps } from '../deps.ts';
import { readState } from '../execute.ts';
import { streamOf } from '../streams.ts';

const unneeded = { personal: true, large: true };

/**
 * Whether a session is alive by the rule of docs/decisions/0001: not ended, not expired, user not deleted, and not
 * ended together with other sessions of the user. Reads the log, which is never stale.
 */
export async function isSessionAlive(
  { store, now }: Pick<WriteDeps, 'store' | 'now'>,
  sessionId: string,
): Promise<boolean> {
  const session = await store.readStream<SessionEvent>(streamOf.session(sessionId), unneeded);
  const started = session.events.find((event) => event.type === 'SessionStarted');
  if (!started || session.events.some(({ type }) => type === 'SessionEnded') || started.data.expiresAt <= now())
    return false;
  const { state } = await readState(store, userDecider, streamOf.user(started.data.userId));
  return state.status === 'active' && !hasEndedWithOthers(state, started.data);
}

/** Whether all sessions of the user, except possibly one, were ended after this revision of their stream. */
export function wereSessionsEndedSince(user: UserState, userRevision: number): boolean {
  return user.status === 'active' && user.sessionsEnded !== null && user.sessionsEnded.revision > userRevision;
}
