import type { Privileges } from '@gatebook/runtime/database-roles';

const everybodyReads = { api: 'select', projector: 'select', worker: 'select' } as const;
const appendSignature =
  'append(integer[], text[], bigint[], integer[], text[], bigint[], uuid[], text[], smallint[], json[], text[], json[])';

/**
 * Roles read the log and write to it only through functions. They add and erase keys but never replace them. Processes
 * of the previous version, which run during an upgrade, insert keys without a function.
 */
export const eventLogPrivileges: readonly Privileges[] = [
  {
    schema: 'log',
    tables: {
      events: everybodyReads,
      streams: everybodyReads,
      epochs: everybodyReads,
      blobs: everybodyReads,
      snapshots: { api: 'select', worker: 'select' },
    },
    functions: {
      [appendSignature]: ['api', 'worker'],
      'begin_epoch(uuid, bigint)': ['api', 'projector', 'worker'],
      'archive_streams(timestamp with time zone, integer)': ['worker'],
      'put_snapshot(text, bigint, text, uuid, text, bytea)': ['api', 'worker'],
      'delete_snapshot(text, uuid)': ['api', 'worker'],
      'put_blobs(text[], text[], bytea[], boolean[])': ['api', 'worker'],
      'mark_blobs_used(text[], text[])': ['worker'],
      'remove_unused_blobs(timestamp with time zone, integer)': ['worker'],
    },
  },
  {
    schema: 'keys',
    tables: {
      subjects: { api: 'select, insert', projector: 'select', worker: 'select, insert' },
      erased_projects: everybodyReads,
      project_search: { worker: 'select, insert, update' },
      signing: { api: 'select, insert' },
      // Created by the process that starts first; replaced only by operators.
      installation: { api: 'select, insert', projector: 'select, insert', worker: 'select, insert' },
    },
    functions: {
      'add_subjects(text[], text[], text[], text)': ['api', 'worker'],
      'erase_subject(text)': ['api', 'worker'],
      'erase_project(text, integer)': ['api', 'worker'],
      'assign_projects(text[], text[])': ['worker'],
      'erase_address(text, timestamp with time zone)': ['api', 'worker'],
    },
  },
];
