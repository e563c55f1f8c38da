import type { Pool } from '@gatebook/runtime/postgres';

/** Keys to erase when their codes expire, used or not. */
export type CodeKeys = {
  /** Ignores a known key. `expiresAt` is an ISO time. */
  add(key: { subjectId: string; expiresAt: string }): Promise<void>;
  /**
   * Erases at most `limit` keys that expired by `at`, an ISO time. `signal` leaves the rest for later.
   * @throws AggregateError if keys could not be erased, after the others
   */
  eraseExpired(at: string, limit: number, signal: AbortSignal): Promise<void>;
};

export function createCodeKeys(pool: Pool, eraseSubject: (subjectId: string) => Promise<void>): CodeKeys {
  return {
    add: async ({ subjectId, expiresAt }) => {
      await pool.query('insert into worker.code_keys values ($1, $2) on conflict do nothing', [subjectId, expiresAt]);
    },
    eraseExpired: async (at, limit, signal) => {
      const { rows } = await pool.query<{ id: string }>(
        'select subject_id as id from worker.code_keys where expires_at <= $1 order by expires_at limit $2',
        [at, limit],
      );
      const erased: string[] = [];
      const failures: unknown[] = [];
      for (const { id } of rows) {
        if (signal.aborted) break;
        try {
          await eraseSubject(id);
          erased.push(id);
        } catch (error) {
          failures.push(error);
        }
      }
      if (erased.length > 0) await pool.query('delete from worker.code_keys where subject_id = any($1)', [erased]);
      if (failures.length > 0) throw new AggregateError(failures, `${failures.length} keys of expired codes remain`);
    },
  };
}
