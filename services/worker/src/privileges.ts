import type { Privileges } from '@gatebook/runtime/database-roles';

/** Queues lie in a schema that the worker owns: BullMQ makes sequences there as it goes. */
export const workerPrivileges: readonly Privileges[] = [
  {
    schema: 'worker',
    tables: {
      email_counts: { worker: 'select, insert, update, delete' },
      code_keys: { worker: 'select, insert, delete' },
    },
  },
];
