import type { Privileges } from '@gatebook/runtime/database-roles';

/** Queues are in a schema that the worker owns, because BullMQ creates sequences at run time. */
export const workerPrivileges: readonly Privileges[] = [
  {
    schema: 'worker',
    tables: {
      email_counts: { worker: 'select, insert, update, delete' },
      queue_reports: { api: 'select', projector: 'select', worker: 'select, insert, update' },
      code_keys: { worker: 'select, insert, delete' },
    },
  },
];
