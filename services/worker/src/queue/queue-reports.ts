import type { Problem } from '@gatebook/projections/operations/problems';
import { bounded } from '@gatebook/projections/operations/readiness';
import type { Pool } from '@gatebook/runtime/postgres';

/** Without a newer report no worker leads, which is a problem that every process sees. */
const reportedMs = 60_000;

export async function reportProblems(pool: Pool, problems: readonly Problem[]): Promise<void> {
  await pool.query(
    `insert into worker.queue_reports (problems) values ($1)
     on conflict (only_row) do update set problems = excluded.problems, reported_at = excluded.reported_at`,
    [JSON.stringify(problems)],
  );
}

/** What the leading worker last reported, for a process without queues. */
export async function reportedProblems(pool: Pool): Promise<readonly Problem[]> {
  const { rows } = await bounded(
    pool.query<{ problems: readonly Problem[] }>({
      name: 'queue-reports',
      text: `select problems from worker.queue_reports where reported_at > now() - $1 * interval '1 ms'`,
      values: [reportedMs],
    }),
  );
  return rows[0]?.problems ?? [];
}
