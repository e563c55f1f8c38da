import type { Table } from '@gatebook/projections/changes';
import { isNotHidden } from '../hidden-projects.ts';
import { nameKeyOf } from './team-columns.ts';

export const teamsTables: readonly Table[] = [
  {
    name: 'teams',
    columns: {
      id: { type: 'uuid' },
      project_id: { type: 'text' },
      display_name: { type: 'text', isPersonal: true },
      profile_image_url: { type: 'text', isNullable: true, isPersonal: true },
      client_metadata: { type: 'jsonb', isNullable: true, isPersonal: true },
      client_read_only_metadata: { type: 'jsonb', isNullable: true, isPersonal: true },
      server_metadata: { type: 'jsonb', isNullable: true, isPersonal: true },
      /** The user whose name is part of the team's name, which is removed when the user is erased. */
      named_after: { type: 'uuid', isNullable: true },
      created_at: { type: 'timestamptz' },
      /** Set while the team awaits deletion; `project_id` is hidden then. */
      deleted_at: { type: 'timestamptz', isNullable: true },
      delete_at: { type: 'timestamptz', isNullable: true },
    },
    key: ['id'],
    counts: { name: 'team_sizes', of: 'team_members', by: 'team_id', where: isNotHidden('r.project_id') },
    indexes: [
      { name: 'teams_by_project', on: '(project_id, created_at, id)' },
      { name: 'teams_by_name', on: `(project_id, (${nameKeyOf('display_name')}), id)` },
      { name: 'teams_by_deletion', on: '(project_id, delete_at, id)', where: 'delete_at is not null' },
      { name: 'teams_by_namesake', on: '(named_after)', where: 'named_after is not null', servesWrites: true },
    ],
  },
  {
    name: 'team_members',
    columns: {
      team_id: { type: 'uuid' },
      user_id: { type: 'uuid' },
      project_id: { type: 'text' },
      /** The member's name in this team; null if it is the user's name. */
      display_name: { type: 'text', isNullable: true, isPersonal: true },
      profile_image_url: { type: 'text', isNullable: true, isPersonal: true },
      /** Log position of joining, by which members are sorted. */
      since: { type: 'bigint' },
    },
    key: ['team_id', 'user_id'],
    indexes: [
      { name: 'team_members_by_user', on: '(user_id)', servesWrites: true },
      { name: 'team_members_by_joining', on: '(team_id, since)' },
      { name: 'team_members_by_team', on: '(project_id, team_id)' },
      { name: 'team_members_by_project', on: '(project_id, since)' },
    ],
  },
  {
    name: 'team_invitations',
    columns: {
      code_id: { type: 'text' },
      /** The ID of the invitation in the API. */
      id: { type: 'uuid' },
      project_id: { type: 'text' },
      team_id: { type: 'uuid' },
      recipient: { type: 'text', isNullable: true, isPersonal: true },
      /** Keyed hash of the recipient, by which the invitation is erased. */
      address_ref: { type: 'text', isNullable: true },
      expires_at: { type: 'timestamptz' },
      issued_at: { type: 'timestamptz' },
    },
    key: ['code_id'],
    indexes: [
      { name: 'team_invitations_by_team', on: '(team_id, issued_at)', servesWrites: true },
      { name: 'team_invitations_by_address', on: '(address_ref)', servesWrites: true },
      { name: 'team_invitations_by_project', on: '(project_id)' },
    ],
  },
];
