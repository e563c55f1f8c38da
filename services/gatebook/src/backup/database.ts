import { migrate, type Pool, type PoolClient } from '@gatebook/runtime/postgres';
import { StartError } from '../embedded/data-folder.ts';

/** How far a restore is. `digest`: of the file up to the last chunk that is in the database. */
export type Progress = { backupId: string; chunks: string; digest: string; isFinished: boolean };

/** Creates or updates the schema `backups`. */
export const migrateBackups = (pool: Pool): Promise<void> =>
  migrate(pool, new URL('./migrations/', import.meta.url), 'backups');

export async function readProgress(db: Pick<PoolClient, 'query'>): Promise<Progress | undefined> {
  const { rows } = await db.query<Progress>(
    `select backup_id as "backupId", chunks, digest, finished_at is not null as "isFinished" from backups.restore`,
  );
  return rows[0];
}

/** @throws StartError while a restore is not finished */
export async function rejectUnfinishedRestore(pool: Pool): Promise<void> {
  const progress = await readProgress(pool);
  if (!progress || progress.isFinished) return;
  throw new StartError('A restore of this database is not finished: run "gatebook restore" again with the same file.');
}
