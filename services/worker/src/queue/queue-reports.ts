import type { Problem } from '@gatebook/projections/operations/problems';
import { bounded } from '@gatebook/projections/operations/readiness';
import { pause } from '@gatebook/runtime/pause';
import type { Pool } from '@gatebook/runtime/postgres';

const reportEveryMs = 10_000;
/** Without a newer report no worker leads, which is a problem that every process sees. */
const reportedMs = 60_000;

/** Reports problems of the queues until `signal` aborts. `onFailure`: called with each failed attempt. */
export async function reportQueues(
  pool: Pool,
  findProblems: () => Promise<readonly Problem[]>,
  onFailure: (error: unknown) => void,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    await findProblems()
      .then((problems) => reportProblems(pool, problems))
      .catch(onFailure);
    await pause(reportEveryMs, signal);
  }
}

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
