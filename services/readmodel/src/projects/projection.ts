import type { CodeEvent } from '@gatebook/domain/code/events';
import type { Recorded } from '@gatebook/domain/event';
import { noProjectSecrets } from '@gatebook/domain/project/config';
import { type ProjectEvent, projectEvents } from '@gatebook/domain/project/events';
import type { ProjectKeyEvent } from '@gatebook/domain/project-key/events';
import type { ReservationEvent } from '@gatebook/domain/reservation/events';
import type { TeamEvent } from '@gatebook/domain/team/events';
import type { UserEvent } from '@gatebook/domain/user/events';
import { increment, insert, type Projection, patch, type Row, remove, removeAll } from '@gatebook/projections/changes';

type KeyParts = Pick<
  Extract<ProjectKeyEvent, { type: 'ProjectKeyReplaced' }>['data'],
  'publishableClientKey' | 'secretServerKey' | 'superSecretAdminKey'
>;

const removeMember = ({ data }: { data: { projectId: string; userId: string } }) => [
  remove('project_members', { project_id: data.projectId, user_id: data.userId }),
];

export const projectsProjection: Projection<
  ProjectEvent | ProjectKeyEvent | TeamEvent | UserEvent | CodeEvent | ReservationEvent
> = {
  ProjectCreated: ({ data, revision }) => [
    insert('projects', {
      id: data.projectId,
      revision,
      display_name: data.displayName,
      description: data.description,
      is_production_mode: data.isProductionMode,
      config: data.config,
      secrets: data.secrets ?? noProjectSecrets,
      settings: data.settings,
      user_count: 0,
      created_at: data.at,
    }),
  ],
  ProjectDetailsChanged: ({ data: { projectId, displayName, description, isProductionMode } }) => [
    patch(
      'projects',
      { id: projectId },
      { display_name: displayName, description, is_production_mode: isProductionMode },
    ),
  ],
  ProjectConfigChanged: ({ data }) => [
    patch('projects', { id: data.projectId }, { config: data.config, secrets: data.secrets ?? noProjectSecrets }),
  ],
  ProjectSettingsChanged: ({ data }) => [patch('projects', { id: data.projectId }, { settings: data.settings })],
  ProjectOwnerAdded: ({ data, position }) => [
    insert('project_members', {
      project_id: data.projectId,
      user_id: data.userId,
      role: 'owner',
      since: position,
    }),
  ],
  ProjectOwnerRemoved: removeMember,
  ProjectMemberRoleChanged: ({ data: { projectId, userId, role }, position }) => [
    insert('project_members', { project_id: projectId, user_id: userId, role, since: position }),
  ],
  ProjectMemberRemoved: removeMember,
  ProjectOwnerTeamChanged: ({ data, position }) => [
    insert('project_owner_teams', { project_id: data.projectId, team_id: data.teamId, since: position }),
  ],
  TeamDeleted: ({ data }) => [remove('project_owner_teams', { team_id: data.teamId })],
  ConfigOverrideChanged: ({ data: { projectId, level, override, source } }) => [
    insert('config_overrides', { project_id: projectId, level, override: override ?? {}, source }),
  ],
  ConfigSourceUnlinked: ({ data: { projectId } }) => [
    patch('config_overrides', { project_id: projectId, level: 'branch' }, { source: null }),
  ],
  ProjectDeletionScheduled: ({ data }) => [
    patch('projects', { id: data.projectId }, { deleted_at: data.at, delete_at: data.deleteAt }),
  ],
  ProjectDeletionCanceled: ({ data }) => [
    patch('projects', { id: data.projectId }, { deleted_at: null, delete_at: null }),
  ],
  // All rows of the project, including those of its users.
  ProjectDeleted: ({ data: { projectId } }) => [
    remove('projects', { id: projectId }),
    removeAll('project_id', projectId),
  ],
  ProjectKeyCreated: ({ data }) => [
    insert('project_keys', {
      id: data.keyId,
      project_id: data.projectId,
      description: data.description,
      ...keyColumns(data),
      created_at: data.at,
      expires_at: data.expiresAt,
      revoked_at: null,
    }),
  ],
  ProjectKeyDescribed: ({ data }) => [patch('project_keys', { id: data.keyId }, { description: data.description })],
  ProjectKeyExpiryChanged: ({ data }) => [patch('project_keys', { id: data.keyId }, { expires_at: data.expiresAt })],
  ProjectKeyReplaced: ({ data }) => [patch('project_keys', { id: data.keyId }, keyColumns(data))],
  ProjectKeyRevoked: ({ data }) => [patch('project_keys', { id: data.keyId }, { revoked_at: data.at })],
  CodeIssued: ({ data }) =>
    data.purpose === 'project_invitation'
      ? [
          insert('project_invitations', {
            code_id: data.codeId,
            id: data.subjectId,
            project_id: data.projectId,
            role: String(data.payload.role),
            sender_role: data.payload.senderRole ?? null,
            recipient: data.recipient,
            address_ref: data.addressRef,
            invited_by: data.payload.invitedBy ?? data.payload.invitedByKey ?? null,
            expires_at: data.expiresAt,
            issued_at: data.at,
          }),
        ]
      : [],
  CodeUsed: ({ data }) => [remove('project_invitations', { code_id: data.codeId })],
  CodeRevoked: ({ data }) => [remove('project_invitations', { code_id: data.codeId })],
  AddressErased: ({ data }) => [remove('project_invitations', { address_ref: data.addressRef })],
  UserCreated: ({ data }) => [increment('projects', { id: data.projectId }, { user_count: 1 })],
  UserDeletionScheduled: ({ data }) => [increment('projects', { id: data.projectId }, { user_count: -1 })],
  UserDeletionCanceled: ({ data }) => [increment('projects', { id: data.projectId }, { user_count: 1 })],
  UserDeleted: ({ data }) => [
    ...(data.wasScheduled ? [] : [increment('projects', { id: data.projectId }, { user_count: -1 })]),
    remove('project_members', { user_id: data.userId }),
  ],
};

function keyColumns({ publishableClientKey, secretServerKey, superSecretAdminKey }: KeyParts): Row {
  return {
    publishable_client_key_hash: publishableClientKey?.hash ?? null,
    publishable_client_key_last_four: publishableClientKey?.lastFour ?? null,
    secret_server_key_hash: secretServerKey?.hash ?? null,
    secret_server_key_last_four: secretServerKey?.lastFour ?? null,
    super_secret_admin_key_hash: superSecretAdminKey?.hash ?? null,
    super_secret_admin_key_last_four: superSecretAdminKey?.lastFour ?? null,
  };
}

const changes = Object.keys(projectEvents).filter((type) => type !== 'ProjectCreated' && type !== 'ProjectDeleted');
const setRevision = ({ data, revision }: Recorded<ProjectEvent>) => [
  patch('projects', { id: data.projectId }, { revision }),
];

/** Every event of a project's stream, whichever table it changes. */
export const projectRevisionsProjection: Projection<ProjectEvent> = Object.fromEntries(
  changes.map((type) => [type, setRevision]),
);
