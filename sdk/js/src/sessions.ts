import type { SessionListView, SessionView } from '@gatebook/contract/sessions';
import { AnswerError } from './errors.ts';
import { type ListPage, type PageQuery, toListPage, toPageParams } from './list-pages.ts';
import type { Send } from './transport.ts';

export type UserSession = {
  id: string;
  userId: string;
  createdAt: Date;
  lastUsedAt: Date | null;
  isImpersonation: boolean;
  isCurrentSession: boolean;
  /** Browser and operating system of the sign-in, such as `Chrome` and `macOS`, if known. */
  device: { browser: string | null; system: string | null };
  /** Where it was last used, if known. */
  place: { ip: string; city: string | null; country: string | null } | null;
};

export type SessionsClient = {
  /** Newest first. */
  list(userId: string): Promise<readonly UserSession[]>;
  listPage(userId: string, page: PageQuery): Promise<ListPage<UserSession>>;
  revoke(sessionId: string, userId: string): Promise<void>;
  /** Ends all sessions that the user has now. @returns how many they were */
  revokeAll(userId: string): Promise<number>;
};

export const sessionsClient = (send: Send): SessionsClient => {
  const listPage = async (userId: string, page: PageQuery) => {
    const search = new URLSearchParams({ user_id: userId, ...toPageParams(page) });
    return toListPage(await send<SessionListView>('GET', `/auth/sessions?${search}`), fromWire);
  };
  const list = async (userId: string) => (await listPage(userId, {})).items;
  const revoke = async (sessionId: string, userId: string) => {
    await send('DELETE', `/auth/sessions/${encodeURIComponent(sessionId)}?user_id=${encodeURIComponent(userId)}`, {});
  };
  return {
    list,
    listPage,
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
    device: view.device ?? { browser: null, system: null },
    place: place ? { ip: place.ip, city: place.cityName ?? null, country: place.countryCode ?? null } : null,
  };
}
