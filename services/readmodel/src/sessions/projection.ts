import type { SessionEvent } from '@gatebook/domain/session/events';
import type { UserEvent } from '@gatebook/domain/user/events';
import { insert, type Projection, remove } from '../changes.ts';

export const sessionsProjection: Projection<SessionEvent | UserEvent> = {
  SessionStarted: ({ data }) => [
    insert('sessions', {
      id: data.sessionId,
      user_id: data.userId,
      project_id: data.projectId,
      user_revision: data.userRevision,
      refresh_token_hash: data.refreshTokenHash,
      is_impersonation: data.isImpersonation,
      method: data.method,
      ip: data.ip,
      user_agent: data.userAgent,
      created_at: data.at,
      expires_at: data.expiresAt,
    }),
  ],
  SessionEnded: ({ data }) => [remove('sessions', { id: data.sessionId })],
  UserDeleted: ({ data }) => [remove('sessions', { user_id: data.userId })],
  // One that was started in the moment of the deletion.
  UserErased: ({ data }) => [remove('sessions', { user_id: data.userId })],
};
