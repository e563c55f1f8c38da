import type { LogHistory } from '@gatebook/projections/operations/problems';
import type { Config } from '@gatebook/runtime/config';
import type { Pool } from '@gatebook/runtime/postgres';

type Row = { installedAt: Date; fellBackAt: Date | null; finishedAt: Date | null; verifiedAt: Date | null };

/** The first epoch began with the log. Each later one began because the log had lost events. */
export async function readLogHistory(pool: Pool, { backups }: Pick<Config, 'backups'>): Promise<LogHistory> {
  const { rows } = await pool.query<Row>({
    name: 'log-history',
    text: `select first.began_at as "installedAt", later.began_at as "fellBackAt",
        b.finished_at as "finishedAt", b.verified_at as "verifiedAt"
      from (select number, began_at from log.epochs order by number limit 1) first
      left join lateral (
        select began_at from log.epochs where number > first.number order by number desc limit 1) later on true
      left join lateral (
        select finished_at, verified_at from backups.made order by finished_at desc limit 1) b on true`,
  });
  const [row] = rows;
  if (!row) throw new Error('the log has no epoch');
  const { installedAt, fellBackAt, finishedAt, verifiedAt } = row;
  return {
    installedAt: installedAt.getTime(),
    fellBackAt: fellBackAt?.getTime() ?? null,
    lastBackup: finishedAt && { finishedAt: finishedAt.getTime(), verifiedAt: verifiedAt?.getTime() ?? null },
    backupDueDays: backups.dueDays,
  };
}
