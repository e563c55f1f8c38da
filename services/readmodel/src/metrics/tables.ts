import type { Table } from '@gatebook/projections/changes';

export const metricsTables: readonly Table[] = [
  {
    name: 'sign_ups',
    columns: {
      user_id: { type: 'uuid' },
      project_id: { type: 'text' },
      signed_up_at: { type: 'timestamptz' },
      /** Since when the user is a regular user here: of imported users, the import. */
      joined_at: { type: 'timestamptz' },
      is_anonymous: { type: 'boolean' },
      /** How the user signed up: a sign-in method or the ID of a provider. */
      method: { type: 'text' },
      country: { type: 'text', isNullable: true, isPersonal: true },
      device: { type: 'text', isNullable: true, isPersonal: true },
      /** An address was verified at some time. */
      is_verified: { type: 'boolean', default: false },
      has_password: { type: 'boolean', default: false },
      has_otp: { type: 'boolean', default: false },
      has_passkey: { type: 'boolean', default: false },
    },
    key: ['user_id'],
    indexes: [
      { name: 'sign_ups_by_day', on: '(project_id, signed_up_at) include (is_anonymous, method, country, device)' },
      {
        name: 'sign_ups_by_joining',
        on: '(project_id, joined_at) include (user_id, is_verified)',
        where: 'not is_anonymous',
      },
      { name: 'sign_ups_of_anonymous_users', on: '(project_id, user_id)', where: 'is_anonymous' },
    ],
  },
  {
    // By the user: without impersonations, and without the sign-ups of anonymous users.
    name: 'sign_ins',
    columns: {
      session_id: { type: 'uuid' },
      user_id: { type: 'uuid' },
      project_id: { type: 'text' },
      signed_in_at: { type: 'timestamptz' },
      method: { type: 'text' },
      country: { type: 'text', isNullable: true, isPersonal: true },
      device: { type: 'text', isNullable: true, isPersonal: true },
    },
    key: ['session_id'],
    indexes: [
      { name: 'sign_ins_by_time', on: '(project_id, signed_in_at)' },
      { name: 'sign_ins_by_user', on: '(user_id)', servesWrites: true },
    ],
  },
];
