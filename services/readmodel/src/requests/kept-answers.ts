import { migrate, type Pool } from '@gatebook/runtime/postgres';

/** What became of a request that came with a key. `answer` is sealed text. */
export type Reservation =
  | { state: 'reserved' }
  /** Whoever worked on it is gone: it is ours now, and may have been decided already. */
  | { state: 'taken_over' }
  | { state: 'running' }
  | { state: 'answered'; answer: string }
  | { state: 'other_request' };

export type KeptAnswers = {
  /** Times are ISO 8601. At most one caller gets `reserved` or `taken_over` at a time. */
  reserve(request: { id: string; fingerprint: string; at: string }): Promise<Reservation>;
  keep(id: string, answer: string): Promise<void>;
  /** As if it had never been asked. */
  release(id: string): Promise<void>;
  forgetBefore(at: string): Promise<void>;
};

/** How long an answer is given again (architecture §4). */
export const keptMs = 24 * 60 * 60_000;
/** Longer than any request may take. */
const leaseMs = 60_000;

export async function migrateKeptAnswers(pool: Pool): Promise<void> {
  await migrate(pool, new URL('./migrations/', import.meta.url), 'requests');
}

export function createKeptAnswers(pool: Pool): KeptAnswers {
  return {
    reserve: async ({ id, fingerprint, at }) => {
      const forgotten = new Date(Date.parse(at) - keptMs).toISOString();
      const { rowCount } = await pool.query(
        `insert into requests.answers as a (id, fingerprint, started_at) values ($1, $2, $3)
         on conflict (id) do update set fingerprint = excluded.fingerprint, started_at = excluded.started_at, answer = null
         where a.started_at < $4`,
        [id, fingerprint, at, forgotten],
      );
      if (rowCount === 1) return { state: 'reserved' };
      const { rows } = await pool.query<{ fingerprint: string; answer: string | null }>(
        'select fingerprint, answer from requests.answers where id = $1',
        [id],
      );
      const [row] = rows;
      // Released between the two statements: whoever asks again finds it free.
      if (!row) return { state: 'running' };
      if (row.fingerprint !== fingerprint) return { state: 'other_request' };
      if (row.answer !== null) return { state: 'answered', answer: row.answer };
      const dead = new Date(Date.parse(at) - leaseMs).toISOString();
      const taken = await pool.query(
        'update requests.answers set started_at = $2 where id = $1 and answer is null and started_at < $3',
        [id, at, dead],
      );
      return { state: taken.rowCount === 1 ? 'taken_over' : 'running' };
    },
    keep: async (id, answer) => {
      await pool.query('update requests.answers set answer = $2 where id = $1', [id, answer]);
    },
    release: async (id) => {
      await pool.query('delete from requests.answers where id = $1 and answer is null', [id]);
    },
    forgetBefore: async (at) => {
      await pool.query('delete from requests.answers where started_at < $1', [at]);
    },
  };
}
