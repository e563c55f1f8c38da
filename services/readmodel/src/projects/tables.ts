import type { Table } from '@gatebook/projections/changes';

const keyColumns = {
  publishable_client_key_hash: { type: 'text', isNullable: true },
  publishable_client_key_last_four: { type: 'text', isNullable: true },
  secret_server_key_hash: { type: 'text', isNullable: true },
  secret_server_key_last_four: { type: 'text', isNullable: true },
  super_secret_admin_key_hash: { type: 'text', isNullable: true },
  super_secret_admin_key_last_four: { type: 'text', isNullable: true },
} as const;

export const projectsTables: readonly Table[] = [
  {
    name: 'projects',
    columns: {
      id: { type: 'text' },
      /** Of the project's stream. */
      revision: { type: 'bigint' },
      display_name: { type: 'text' },
      description: { type: 'text' },
      is_production_mode: { type: 'boolean' },
      config: { type: 'jsonb' },
      secrets: { type: 'jsonb' },
      settings: { type: 'jsonb' },
      user_count: { type: 'integer', default: 0 },
      created_at: { type: 'timestamptz' },
      /** Set while the project awaits deletion. Queries find only projects that do not. */
      deleted_at: { type: 'timestamptz', isNullable: true },
      delete_at: { type: 'timestamptz', isNullable: true },
    },
    key: ['id'],
    indexes: [{ name: 'projects_by_deletion', on: '(delete_at, id)', where: 'delete_at is not null' }],
  },
  {
    name: 'project_members',
    columns: {
      project_id: { type: 'text' },
      user_id: { type: 'uuid' },
      role: { type: 'text' },
      /** Log position of getting the role, by which a user's projects are sorted. */
      since: { type: 'bigint' },
    },
    key: ['project_id', 'user_id'],
    indexes: [{ name: 'project_members_by_user', on: '(user_id, since)', servesWrites: true }],
  },
  {
    name: 'project_owner_teams',
    columns: {
      project_id: { type: 'text' },
      /** A team of `internal`. */
      team_id: { type: 'uuid' },
      /** Log position of becoming owner. */
      since: { type: 'bigint' },
    },
    key: ['project_id'],
    indexes: [{ name: 'project_owner_teams_by_team', on: '(team_id)', servesWrites: true }],
  },
  {
    name: 'project_invitations',
    columns: {
      code_id: { type: 'text' },
      /** The ID of the invitation in the API. */
      id: { type: 'uuid' },
      project_id: { type: 'text' },
      role: { type: 'text' },
      /** What the sender becomes, for a transfer of the project. */
      sender_role: { type: 'text', isNullable: true },
      recipient: { type: 'text', isNullable: true, isPersonal: true },
      /** Keyed hash of the recipient, by which the invitation is erased. */
      address_ref: { type: 'text', isNullable: true },
      /** A user of `internal`, or an admin key. null for a key in events of earlier releases. */
      invited_by: { type: 'uuid', isNullable: true },
      expires_at: { type: 'timestamptz' },
      issued_at: { type: 'timestamptz' },
    },
    key: ['code_id'],
    indexes: [
      { name: 'project_invitations_by_project', on: '(project_id, issued_at)' },
      { name: 'project_invitations_by_address', on: '(address_ref)', servesWrites: true },
    ],
  },
  {
    name: 'config_overrides',
    columns: {
      project_id: { type: 'text' },
      level: { type: 'text' },
      override: { type: 'jsonb' },
      /** Where the level `branch` was pushed from; null for none. */
      source: { type: 'jsonb', isNullable: true },
    },
    key: ['project_id', 'level'],
  },
  {
    name: 'project_keys',
    columns: {
      id: { type: 'uuid' },
      project_id: { type: 'text' },
      description: { type: 'text' },
      ...keyColumns,
      created_at: { type: 'timestamptz' },
      expires_at: { type: 'timestamptz' },
      revoked_at: { type: 'timestamptz', isNullable: true },
    },
    key: ['id'],
    indexes: [{ name: 'project_keys_by_project', on: '(project_id, created_at desc)' }],
  },
];
