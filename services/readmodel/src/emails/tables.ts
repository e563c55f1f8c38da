import type { Table } from '@gatebook/projections/changes';

export const emailsTables: readonly Table[] = [
  {
    name: 'emails',
    columns: {
      id: { type: 'uuid' },
      project_id: { type: 'text' },
      user_id: { type: 'uuid', isNullable: true },
      /**
       * Keyed hash of the recipient, by which an erasure of the address finds the row. Attempts have one only without a
       * user.
       */
      address_ref: { type: 'text', isNullable: true },
      type: { type: 'text' },
      /**
       * `pending`, `sent`, `dead` (given up, can be retried), `orphaned` (its user is gone, to be dropped), `dropped`.
       */
      state: { type: 'text' },
      /** ID of the event that requested the email or another attempt; also the job's ID. */
      job_id: { type: 'uuid' },
      requested_at: { type: 'timestamptz' },
      expires_at: { type: 'timestamptz' },
    },
    key: ['id'],
    indexes: [
      { name: 'emails_by_user', on: '(user_id)', servesWrites: true },
      { name: 'emails_by_address', on: '(address_ref)', where: 'address_ref is not null', servesWrites: true },
      { name: 'emails_by_state', on: '(project_id, state, requested_at desc)' },
      { name: 'emails_pending', on: '(requested_at)', where: "state = 'pending'" },
      { name: 'emails_ended', on: '(expires_at)', where: "state in ('dead', 'orphaned')" },
    ],
  },
  {
    /** One row per attempt, without the contents of the email. */
    name: 'email_attempts',
    columns: {
      /** Of the event. */
      id: { type: 'uuid' },
      email_id: { type: 'uuid' },
      project_id: { type: 'text' },
      user_id: { type: 'uuid', isNullable: true },
      address_ref: { type: 'text', isNullable: true },
      recipient: { type: 'text', isNullable: true, isPersonal: true },
      subject: { type: 'text', isNullable: true, isPersonal: true },
      sender: { type: 'jsonb' },
      /** Null if the server accepted the email. */
      error: { type: 'jsonb', isNullable: true, isPersonal: true },
      at: { type: 'timestamptz' },
    },
    key: ['id'],
    indexes: [
      { name: 'email_attempts_by_user', on: '(user_id)', servesWrites: true },
      { name: 'email_attempts_by_address', on: '(address_ref)', where: 'address_ref is not null', servesWrites: true },
      { name: 'email_attempts_by_project', on: '(project_id, at desc, id)' },
      { name: 'email_attempts_by_email', on: '(email_id, at desc)' },
    ],
  },
  {
    /** Only what a user has changed; every other category is on. */
    name: 'notification_preferences',
    columns: {
      user_id: { type: 'uuid' },
      project_id: { type: 'text' },
      category: { type: 'text' },
      is_enabled: { type: 'boolean' },
    },
    key: ['user_id', 'category'],
  },
  {
    name: 'email_templates',
    columns: {
      project_id: { type: 'text' },
      type: { type: 'text' },
      subject: { type: 'text', isNullable: true },
      content: { type: 'jsonb', isNullable: true },
    },
    key: ['project_id', 'type'],
  },
];
