import type { ProjectEvent } from '@gatebook/domain/project/events';
import type { SessionEvent } from '@gatebook/domain/session/events';
import type { UserEvent } from '@gatebook/domain/user/events';
import { insert, type Projection, patch, remove, removeAll } from '@gatebook/projections/changes';
import { knownDevice } from '../sessions/device.ts';

type SignIn = { method: string; provider: string | null; country: string | null; userAgent: string | null };
const howAndWhere = ({ method, provider, country, userAgent }: SignIn) => ({
  method: provider ?? method,
  country,
  device: knownDevice(userAgent),
});

const verified = (userId: string) => patch('sign_ups', { user_id: userId }, { is_verified: true });

/** Deleted users are not counted (protocol, projects §3), so their rows are removed. */
export const metricsProjection: Projection<UserEvent | SessionEvent | ProjectEvent> = {
  UserCreated: ({ data }) => [
    insert('sign_ups', {
      user_id: data.userId,
      project_id: data.projectId,
      signed_up_at: data.signedUpAt ?? data.at,
      joined_at: data.at,
      is_anonymous: data.isAnonymous,
      ...howAndWhere(data),
    }),
  ],
  UserUpgraded: ({ data }) => [
    patch('sign_ups', { user_id: data.userId }, { is_anonymous: false, joined_at: data.at, method: data.method }),
  ],
  ContactChannelAdded: ({ data }) => (data.isVerified ? [verified(data.userId)] : []),
  ContactChannelValueChanged: ({ data }) => (data.isVerified ? [verified(data.userId)] : []),
  ContactChannelVerificationChanged: ({ data }) => (data.isVerified ? [verified(data.userId)] : []),
  ContactChannelProven: ({ data }) => [verified(data.userId)],
  UserPasswordSet: ({ data }) => [patch('sign_ups', { user_id: data.userId }, { has_password: true })],
  UserPasswordRemoved: ({ data }) => [patch('sign_ups', { user_id: data.userId }, { has_password: false })],
  OtpAuthChanged: ({ data }) => [patch('sign_ups', { user_id: data.userId }, { has_otp: data.isEnabled })],
  PasskeyRegistered: ({ data }) => [patch('sign_ups', { user_id: data.userId }, { has_passkey: true })],
  PasskeyRemoved: ({ data }) => [patch('sign_ups', { user_id: data.userId }, { has_passkey: false })],
  SessionStarted: ({ data }) =>
    data.isImpersonation || data.method === 'server' || data.method === 'anonymous'
      ? []
      : [
          insert('sign_ins', {
            session_id: data.sessionId,
            user_id: data.userId,
            project_id: data.projectId,
            signed_in_at: data.at,
            ...howAndWhere(data),
          }),
        ],
  UserDeleted: ({ data }) => [
    remove('sign_ups', { user_id: data.userId }),
    remove('sign_ins', { user_id: data.userId }),
  ],
  // A session that was recorded at the moment of the deletion.
  UserErased: ({ data }) => [remove('sign_ins', { user_id: data.userId })],
  ProjectDeleted: ({ data }) => [removeAll('project_id', data.projectId)],
};
