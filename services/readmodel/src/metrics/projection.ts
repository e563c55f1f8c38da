import type { ProjectEvent } from '@gatebook/domain/project/events';
import type { UserEvent } from '@gatebook/domain/user/events';
import { insert, type Projection, patch, remove, removeAll } from '@gatebook/projections/changes';

/** Deleted users are not counted (protocol, projects §3), so their rows are removed. */
export const metricsProjection: Projection<UserEvent | ProjectEvent> = {
  UserCreated: ({ data }) => [
    insert('sign_ups', {
      user_id: data.userId,
      project_id: data.projectId,
      signed_up_at: data.signedUpAt ?? data.at,
      is_anonymous: data.isAnonymous,
    }),
  ],
  UserUpgraded: ({ data }) => [patch('sign_ups', { user_id: data.userId }, { is_anonymous: false })],
  UserPasswordSet: ({ data }) => [patch('sign_ups', { user_id: data.userId }, { has_password: true })],
  UserPasswordRemoved: ({ data }) => [patch('sign_ups', { user_id: data.userId }, { has_password: false })],
  OtpAuthChanged: ({ data }) => [patch('sign_ups', { user_id: data.userId }, { has_otp: data.isEnabled })],
  PasskeyRegistered: ({ data }) => [patch('sign_ups', { user_id: data.userId }, { has_passkey: true })],
  PasskeyRemoved: ({ data }) => [patch('sign_ups', { user_id: data.userId }, { has_passkey: false })],
  UserDeleted: ({ data }) => [remove('sign_ups', { user_id: data.userId })],
  ProjectDeleted: ({ data }) => [removeAll('project_id', data.projectId)],
};
