import type { Pool } from '@gatebook/runtime/postgres';

/** Keys to erase when their codes expire, used or not. */
export type CodeKeys = {
  /** Ignores a known key. `expiresAt` is an ISO time. */
  add(key: { subjectId: string; expiresAt: string }): Promise<void>;
  /** Erases at most `limit` keys that expired by `at`, an ISO time. */
  eraseExpired(at: string, limit: number): Promise<void>;
};

export function createCodeKeys(pool: Pool, eraseSubject: (subjectId: string) => Promise<void>): CodeKeys {
  return {
    add: async ({ subjectId, expiresAt }) => {
      await pool.query('insert into worker.code_keys values ($1, $2) on conflict do nothing', [subjectId, expiresAt]);
    },
    eraseExpired: async (at, limit) => {
      const { rows } = await pool.query<{ id: string }>(
        'select subject_id as id from worker.code_keys where expires_at <= $1 order by expires_at limit $2',
        [at, limit],
      );
      for (const { id } of rows) await eraseSubject(id);
      const ids = rows.map(({ id }) => id);
      if (ids.length > 0) await pool.query('delete from worker.code_keys where subject_id = any($1)', [ids]);
    },
  };
}
