import type { Table } from '@gatebook/projections/changes';

export const apiKeysTables: readonly Table[] = [
  {
    name: 'api_keys',
    columns: {
      id: { type: 'uuid' },
      project_id: { type: 'text' },
      /** The owner is one of these two. */
      user_id: { type: 'uuid', isNullable: true },
      team_id: { type: 'uuid', isNullable: true },
      owner_revision: { type: 'bigint', isNullable: true },
      description: { type: 'text', isNullable: true, isPersonal: true },
      is_public: { type: 'boolean' },
      hash: { type: 'text' },
      last_four: { type: 'text' },
      /** Log position of its creation, by which keys are sorted. */
      since: { type: 'bigint' },
      created_at: { type: 'timestamptz' },
      expires_at: { type: 'timestamptz', isNullable: true },
      revoked_at: { type: 'timestamptz', isNullable: true },
    },
    key: ['id'],
    indexes: [
      { name: 'api_keys_by_hash', on: '(hash)' },
      { name: 'api_keys_by_user', on: '(user_id, since)', where: 'user_id is not null', servesWrites: true },
      { name: 'api_keys_by_team', on: '(team_id, since)', where: 'team_id is not null', servesWrites: true },
      { name: 'api_keys_by_project', on: '(project_id)' },
    ],
  },
];
