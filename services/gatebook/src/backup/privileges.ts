import type { Privileges } from '@gatebook/runtime/database-roles';

const everybodyReads = { api: 'select', projector: 'select', worker: 'select' } as const;

/**
 * Only the owner of the database makes and restores backups. A process looks whether a restore is in progress, and
 * shows operators the last backup.
 */
export const backupPrivileges: readonly Privileges[] = [
  { schema: 'backups', tables: { made: everybodyReads, restore: everybodyReads } },
];
