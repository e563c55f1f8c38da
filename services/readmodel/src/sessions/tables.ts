import type { Table } from '@gatebook/projections/changes';

export const sessionsTables: readonly Table[] = [
  {
    name: 'sessions',
    columns: {
      id: { type: 'uuid' },
      user_id: { type: 'uuid' },
      project_id: { type: 'text' },
      user_revision: { type: 'bigint' },
      refresh_token_hash: { type: 'text' },
      is_impersonation: { type: 'boolean' },
      impersonator: { type: 'jsonb', isNullable: true },
      method: { type: 'text' },
      ip: { type: 'text', isNullable: true, isPersonal: true },
      user_agent: { type: 'text', isNullable: true, isPersonal: true },
      created_at: { type: 'timestamptz' },
      expires_at: { type: 'timestamptz' },
    },
    key: ['id'],
    indexes: [
      { name: 'sessions_by_user', on: '(user_id, created_at desc)', servesWrites: true },
      { name: 'sessions_by_token', on: '(refresh_token_hash)', isUnique: true },
      { name: 'sessions_by_project', on: '(project_id)' },
    ],
  },
  {
    // Kept when the session ends, so that its device is still known.
    name: 'device_sign_ins',
    columns: {
      session_id: { type: 'uuid' },
      user_id: { type: 'uuid' },
      project_id: { type: 'text' },
      /** Result of `deviceOf`; null for a sign-in without a browser. */
      device: { type: 'text', isNullable: true, isPersonal: true },
      position: { type: 'bigint' },
      created_at: { type: 'timestamptz' },
    },
    key: ['session_id'],
    indexes: [
      { name: 'device_sign_ins_by_user', on: '(user_id, device, position)', servesWrites: true },
      { name: 'device_sign_ins_by_project', on: '(project_id)' },
    ],
  },
];
