import type { Privileges } from '@gatebook/runtime/database-roles';

export const readModelPrivileges: readonly Privileges[] = [
  {
    schema: 'activity',
    tables: {
      sessions: { api: 'select, insert, update', worker: 'select, delete' },
      users: { api: 'select, insert, update', worker: 'select, delete' },
      days: { api: 'select, insert, update', worker: 'select, delete' },
      active_users: { api: 'select', worker: 'select, insert, delete' },
      counts: { api: 'select', worker: 'select, insert, update, delete' },
      metric_progress: { api: 'select', worker: 'select, insert, update, delete' },
      metric_counts: { api: 'select', worker: 'select, insert, update, delete' },
      metric_users: { worker: 'select, insert, delete' },
      // The API cancels batches.
      user_batches: { api: 'select, insert, update', worker: 'select, update, delete' },
      user_batch_users: { api: 'select, insert', worker: 'select, update, delete' },
      api_keys: { api: 'select, insert, update', worker: 'select, delete' },
      first_requests: { api: 'select, insert', worker: 'select, delete' },
      // The worker counts the rejections of an erased user as those of an unknown account.
      rejections: { api: 'select, insert, update', worker: 'select, insert, update, delete' },
      rejected_requests: { api: 'select, insert', worker: 'select, update, delete' },
      rejection_expiry: { api: 'select', worker: 'select, insert, update' },
      throttled_accounts: { api: 'select, insert, update', worker: 'select, delete' },
    },
  },
  {
    schema: 'requests',
    tables: { answers: { api: 'select, insert, update, delete', worker: 'select, delete' } },
  },
  {
    schema: 'webhooks',
    tables: {
      endpoints: { api: 'select', worker: 'select, insert, update, delete' },
      // Canceling a replay deletes its unsent deliveries.
      deliveries: { api: 'select, update, delete', worker: 'select, insert, update, delete' },
      attempts: { api: 'select', worker: 'select, insert, delete' },
      replays: { api: 'select, insert, update', worker: 'select, update, delete' },
    },
  },
];
