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
      mailing_id: { type: 'uuid', isNullable: true },
      /**
       * `pending`, `paused`, `sent`, `dead` (given up, can be retried), `orphaned` (its user is gone, to be dropped),
       * `dropped`.
       */
      state: { type: 'text' },
      /** Why the email was dropped. */
      reason: { type: 'text', isNullable: true },
      /** ID of the event that requested the email or another attempt; also the job's ID. */
      job_id: { type: 'uuid' },
      requested_at: { type: 'timestamptz' },
      scheduled_at: { type: 'timestamptz', isNullable: true },
      changed_at: { type: 'timestamptz' },
      expires_at: { type: 'timestamptz' },
    },
    key: ['id'],
    indexes: [
      { name: 'emails_by_time', on: '(project_id, requested_at desc, id desc)' },
      { name: 'emails_by_mailing', on: '(mailing_id, state)', where: 'mailing_id is not null' },
      { name: 'emails_by_user', on: '(user_id)', servesWrites: true },
      { name: 'emails_by_address', on: '(address_ref)', where: 'address_ref is not null', servesWrites: true },
      { name: 'emails_by_state', on: '(project_id, state, requested_at, id)' },
      { name: 'emails_pending', on: '(requested_at)', where: "state = 'pending'" },
      { name: 'emails_ended', on: '(expires_at)', where: "state in ('dead', 'paused', 'orphaned')" },
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
      { name: 'email_attempts_by_project', on: '(project_id, at, id)' },
      { name: 'email_attempts_by_email', on: '(email_id, at desc)' },
    ],
  },
  {
    name: 'mailings',
    columns: {
      id: { type: 'uuid' },
      project_id: { type: 'text' },
      category: { type: 'text' },
      template_type: { type: 'text', isNullable: true },
      /** null once the mailing is closed, or if it has none. */
      subject: { type: 'text', isNullable: true, isPersonal: true },
      /** Whether the emails to all recipients are requested. */
      is_complete: { type: 'boolean', default: false },
      is_closed: { type: 'boolean', default: false },
      /** ID of the event that requested the mailing; also the job's ID. */
      job_id: { type: 'uuid' },
      requested_at: { type: 'timestamptz' },
    },
    key: ['id'],
    indexes: [
      { name: 'mailings_open', on: '(requested_at)', where: 'not is_closed' },
      { name: 'mailings_by_project', on: '(project_id)' },
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
    indexes: [{ name: 'notification_preferences_by_project', on: '(project_id)' }],
  },
  {
    name: 'email_templates',
    columns: {
      project_id: { type: 'text' },
      type: { type: 'text' },
      /** The tag of a language; empty: the default version. */
      language: { type: 'text' },
      subject: { type: 'text', isNullable: true },
      content: { type: 'jsonb', isNullable: true },
    },
    key: ['project_id', 'type', 'language'],
  },
];
