import type { Privileges } from '@gatebook/runtime/database-roles';

const everybodyReads = { api: 'select', projector: 'select', worker: 'select' } as const;
const appendSignature =
  'append(integer[], text[], bigint[], integer[], text[], bigint[], uuid[], text[], smallint[], json[], text[], json[])';

/** Roles read the log and append only through `log.append`. They add and erase keys but never replace them. */
export const eventLogPrivileges: readonly Privileges[] = [
  {
    schema: 'log',
    tables: { head: everybodyReads, events: everybodyReads },
    functions: { [appendSignature]: ['api', 'worker'] },
  },
  {
    schema: 'keys',
    tables: {
      subjects: { api: 'select, insert', projector: 'select', worker: 'select, insert' },
      signing: { api: 'select, insert' },
      // Created by the process that starts first; replaced only by operators.
      installation: { api: 'select, insert', projector: 'select, insert', worker: 'select, insert' },
    },
    functions: {
      'erase_subject(text)': ['api', 'worker'],
      'erase_address(text, timestamp with time zone)': ['api', 'worker'],
    },
  },
];
