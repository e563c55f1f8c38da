import type { Table } from '@gatebook/projections/changes';

/** What custom metrics count. Their counts are not projected (docs/decisions/0128). */
export const customMetricsTables: readonly Table[] = [
  {
    name: 'custom_metrics',
    columns: {
      id: { type: 'uuid' },
      project_id: { type: 'text' },
      display_name: { type: 'text' },
      event_types: { type: 'jsonb' },
      filter: { type: 'jsonb' },
      group_by: { type: 'text', isNullable: true },
      unit: { type: 'text' },
      count: { type: 'text' },
      /** Log position of the definition or of the last change of what is counted. */
      revision: { type: 'bigint' },
      /** Log position of the definition, by which metrics are sorted. */
      since: { type: 'bigint' },
      created_at: { type: 'timestamptz' },
      updated_at: { type: 'timestamptz' },
    },
    key: ['id'],
    indexes: [{ name: 'custom_metrics_by_project', on: '(project_id, since)' }],
  },
];
