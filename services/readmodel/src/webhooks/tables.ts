import type { Table } from '@gatebook/projections/changes';

export const webhooksTables: readonly Table[] = [
  {
    name: 'webhook_endpoints',
    columns: {
      id: { type: 'uuid' },
      project_id: { type: 'text' },
      url: { type: 'text' },
      description: { type: 'text' },
      types: { type: 'jsonb', isNullable: true },
      ordering: { type: 'text' },
      rate_limit_per_second: { type: 'integer', isNullable: true },
      headers: { type: 'jsonb' },
      /** Newest first, with those that have expired since the last rotation. */
      secrets: { type: 'jsonb' },
      /** null: it is enabled. */
      disabled_reason: { type: 'text', isNullable: true },
      start_after: { type: 'jsonb' },
      /** Log position of its creation, by which endpoints are sorted. */
      since: { type: 'bigint' },
      created_at: { type: 'timestamptz' },
    },
    key: ['id'],
    indexes: [{ name: 'webhook_endpoints_by_project', on: '(project_id, since)' }],
  },
];
