import type { Table } from '@gatebook/projections/changes';

export const metricsTables: readonly Table[] = [
  {
    name: 'sign_ups',
    columns: {
      user_id: { type: 'uuid' },
      project_id: { type: 'text' },
      signed_up_at: { type: 'timestamptz' },
      is_anonymous: { type: 'boolean' },
      has_password: { type: 'boolean', default: false },
      has_otp: { type: 'boolean', default: false },
      has_passkey: { type: 'boolean', default: false },
    },
    key: ['user_id'],
    indexes: [{ name: 'sign_ups_by_day', on: '(project_id, signed_up_at)' }],
  },
];
