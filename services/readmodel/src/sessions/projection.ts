import type { SessionEvent } from '@gatebook/domain/session/events';
import type { UserEvent } from '@gatebook/domain/user/events';
import { insert, type Projection, remove } from '@gatebook/projections/changes';
import { deviceOf } from './device.ts';

export const sessionsProjection: Projection<SessionEvent | UserEvent> = {
  SessionStarted: ({ data, position }) => [
    insert('sessions', {
      id: data.sessionId,
      user_id: data.userId,
      project_id: data.projectId,
      user_revision: data.userRevision,
      refresh_token_hash: data.refreshTokenHash,
      is_impersonation: data.isImpersonation,
      impersonator: data.impersonator,
      method: data.method,
      ip: data.ip,
      user_agent: data.userAgent,
      created_at: data.at,
      expires_at: data.expiresAt,
    }),
    // A server or administrator signs in from its own device, not from the user's.
    ...(data.isImpersonation || data.method === 'server'
      ? []
      : [
          insert('device_sign_ins', {
            session_id: data.sessionId,
            user_id: data.userId,
            project_id: data.projectId,
            device: deviceOf(data),
            position,
            created_at: data.at,
          }),
        ]),
  ],
  SessionEnded: ({ data }) => [remove('sessions', { id: data.sessionId })],
  UserDeleted: ({ data }) => removeUser(data.userId),
  // A session or device that was recorded at the moment of the deletion.
  UserErased: ({ data }) => removeUser(data.userId),
};

const removeUser = (userId: string) => [
  remove('sessions', { user_id: userId }),
  remove('device_sign_ins', { user_id: userId }),
];
