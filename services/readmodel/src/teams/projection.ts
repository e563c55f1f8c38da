import type { CodeEvent } from '@gatebook/domain/code/events';
import type { MembershipEvent } from '@gatebook/domain/membership/events';
import type { ReservationEvent } from '@gatebook/domain/reservation/events';
import type { TeamEvent } from '@gatebook/domain/team/events';
import { defaultTeamName } from '@gatebook/domain/team/state';
import type { UserEvent } from '@gatebook/domain/user/events';
import { insert, type Projection, patch, remove, removeAll } from '@gatebook/projections/changes';
import { hiddenProjectId } from '../hidden-projects.ts';

const metadataColumns = {
  client: 'client_metadata',
  client_read_only: 'client_read_only_metadata',
  server: 'server_metadata',
} as const;

export const teamsProjection: Projection<TeamEvent | MembershipEvent | CodeEvent | UserEvent | ReservationEvent> = {
  TeamCreated: ({ data }) => [
    insert('teams', {
      id: data.teamId,
      project_id: data.projectId,
      display_name: data.displayName ?? defaultTeamName,
      profile_image_url: data.profileImageUrl,
      client_metadata: data.clientMetadata,
      client_read_only_metadata: data.clientReadOnlyMetadata,
      server_metadata: data.serverMetadata,
      named_after: data.subjectId === data.teamId || data.displayName === null ? null : data.subjectId,
      created_at: data.at,
    }),
  ],
  TeamRenamed: ({ data }) => [
    patch('teams', { id: data.teamId }, { display_name: data.displayName ?? defaultTeamName, named_after: null }),
  ],
  TeamImageChanged: ({ data }) => [patch('teams', { id: data.teamId }, { profile_image_url: data.profileImageUrl })],
  TeamMetadataChanged: ({ data }) => [
    patch('teams', { id: data.teamId }, { [metadataColumns[data.scope]]: data.value }),
  ],
  // Hides members, permissions, invitations and keys too: queries of them join the team.
  TeamDeletionScheduled: ({ data }) => [
    patch(
      'teams',
      { id: data.teamId },
      { project_id: hiddenProjectId(data.projectId), deleted_at: data.at, delete_at: data.deleteAt },
    ),
  ],
  TeamDeletionCanceled: ({ data }) => [
    patch('teams', { id: data.teamId }, { project_id: data.projectId, deleted_at: null, delete_at: null }),
  ],
  TeamDeleted: ({ data: { teamId } }) => [
    remove('teams', { id: teamId }),
    // Members, their permissions, invitations and keys; queries join the team.
    removeAll('team_id', teamId),
  ],
  TeamMemberAdded: ({ data, position }) => [
    insert('team_members', {
      team_id: data.teamId,
      user_id: data.userId,
      project_id: data.projectId,
      display_name: null,
      profile_image_url: null,
      since: position,
    }),
  ],
  TeamProfileChanged: ({ data }) => [
    patch(
      'team_members',
      { team_id: data.teamId, user_id: data.userId },
      { display_name: data.displayName, profile_image_url: data.profileImageUrl },
    ),
  ],
  TeamMemberRemoved: ({ data }) => [
    remove('team_members', { team_id: data.teamId, user_id: data.userId }),
    patch('users', { id: data.userId, selected_team_id: data.teamId }, { selected_team_id: null }),
  ],
  CodeIssued: ({ data }) =>
    data.purpose === 'team_invitation'
      ? [
          insert('team_invitations', {
            code_id: data.codeId,
            id: data.subjectId,
            project_id: data.projectId,
            team_id: String(data.payload.teamId),
            recipient: data.recipient,
            address_ref: data.addressRef,
            expires_at: data.expiresAt,
            issued_at: data.at,
          }),
        ]
      : [],
  CodeUsed: ({ data }) => [remove('team_invitations', { code_id: data.codeId })],
  CodeRevoked: ({ data }) => [remove('team_invitations', { code_id: data.codeId })],
  UserDeleted: ({ data: { userId } }) => [
    remove('team_members', { user_id: userId }),
    patch('teams', { named_after: userId }, { display_name: defaultTeamName, named_after: null }),
  ],
  UserErased: ({ data }) => [remove('team_members', { user_id: data.userId })],
  AddressErased: ({ data }) => [remove('team_invitations', { address_ref: data.addressRef })],
};
