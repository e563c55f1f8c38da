import type { SessionListView, SessionView } from '@gatebook/contract/sessions';
import { AnswerError } from './errors.ts';
import type { Send } from './transport.ts';

export type UserSession = {
  id: string;
  userId: string;
  createdAt: Date;
  lastUsedAt: Date | null;
  isImpersonation: boolean;
  isCurrentSession: boolean;
  /** Where it was last used, if known. */
  place: { ip: string; city: string | null; country: string | null } | null;
};

export type SessionsClient = {
  /** Newest first. */
  list(userId: string): Promise<readonly UserSession[]>;
  revoke(sessionId: string, userId: string): Promise<void>;
  /** Ends all sessions that the user has now. @returns how many they were */
  revokeAll(userId: string): Promise<number>;
};

export const sessionsClient = (send: Send): SessionsClient => {
  const list = async (userId: string) =>
    (await send<SessionListView>('GET', `/auth/sessions?user_id=${encodeURIComponent(userId)}`)).items.map(fromWire);
  const revoke = async (sessionId: string, userId: string) => {
    await send('DELETE', `/auth/sessions/${encodeURIComponent(sessionId)}?user_id=${encodeURIComponent(userId)}`, {});
  };
  return {
    list,
    revoke,
    revokeAll: async (userId) => {
      const sessions = await list(userId);
      for (const { id } of sessions) {
        await revoke(id, userId).catch((error: unknown) => {
          // It ended meanwhile.
          if (!(error instanceof AnswerError && error.status === 404)) throw error;
        });
      }
      return sessions.length;
    },
  };
};

function fromWire(view: SessionView): UserSession {
  const place = view.last_used_at_end_user_ip_info;
  return {
    id: view.id,
    userId: view.user_id,
    createdAt: new Date(view.created_at),
    lastUsedAt: view.last_used_at === undefined ? null : new Date(view.last_used_at),
    isImpersonation: view.is_impersonation,
    isCurrentSession: view.is_current_session ?? false,
    place: place ? { ip: place.ip, city: place.cityName ?? null, country: place.countryCode ?? null } : null,
  };
}
