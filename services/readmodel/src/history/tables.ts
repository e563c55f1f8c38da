import type { Table } from '@gatebook/projections/changes';

export const historyTables: readonly Table[] = [
  {
    name: 'user_history',
    columns: {
      position: { type: 'bigint' },
      event_id: { type: 'uuid' },
      project_id: { type: 'text' },
      user_id: { type: 'uuid' },
      type: { type: 'text' },
      actor_kind: { type: 'text' },
      actor_id: { type: 'text', isNullable: true },
      /** Who acted for that user. */
      impersonator_kind: { type: 'text', isNullable: true },
      impersonator_id: { type: 'text', isNullable: true },
      /**
       * What the text of the entry needs besides its type, without hashes and tokens; null once the user is deleted.
       */
      details: { type: 'jsonb', isNullable: true, isPersonal: true },
      at: { type: 'timestamptz' },
    },
    key: ['position'],
    indexes: [
      { name: 'user_history_by_user', on: '(user_id, position desc)', servesWrites: true },
      { name: 'user_history_by_project', on: '(project_id)' },
    ],
  },
];
