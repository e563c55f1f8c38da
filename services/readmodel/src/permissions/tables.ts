import type { Table } from '@gatebook/projections/changes';

/** `permission` is the key of a definition, or the ID of a system permission. Only direct grants are rows. */
export const permissionsTables: readonly Table[] = [
  {
    name: 'permission_definitions',
    columns: {
      project_id: { type: 'text' },
      key: { type: 'text' },
      id: { type: 'text' },
      scope: { type: 'text' },
      description: { type: 'text', isNullable: true },
      contained: { type: 'jsonb' },
    },
    key: ['project_id', 'key'],
  },
  {
    name: 'team_permissions',
    columns: {
      team_id: { type: 'uuid' },
      user_id: { type: 'uuid' },
      permission: { type: 'text' },
      project_id: { type: 'text' },
    },
    key: ['team_id', 'user_id', 'permission'],
    indexes: [
      { name: 'team_permissions_by_user', on: '(user_id)', servesWrites: true },
      { name: 'team_permissions_by_project', on: '(project_id, team_id, user_id, permission)' },
      { name: 'team_permissions_by_permission', on: '(project_id, permission, team_id, user_id)' },
    ],
  },
  {
    name: 'project_permissions',
    columns: { user_id: { type: 'uuid' }, permission: { type: 'text' }, project_id: { type: 'text' } },
    key: ['user_id', 'permission'],
    indexes: [
      { name: 'project_permissions_by_project', on: '(project_id, user_id, permission)' },
      { name: 'project_permissions_by_permission', on: '(project_id, permission, user_id)' },
    ],
  },
];
