import { keyLifeMs } from '@gatebook/domain/request/decide';
import { migrate, type Pool } from '@gatebook/runtime/postgres';

/** The outcome of reserving an idempotency key. */
export type Reservation =
  /** The caller must answer the request. An earlier holder, if any, is gone, possibly after the command was decided. */
  | { state: 'reserved' }
  | { state: 'running' }
  | ({ state: 'answered' } & EncryptedResponse)
  | { state: 'other_request' };

/** `answer` is also encrypted under the keys of `subjects`, so it can be read only until one of them is erased. */
export type EncryptedResponse = { answer: string; subjects: readonly string[] };

/** `holder` identifies the process that handles the request `id` now. */
type Holder = { id: string; holder: string };

export type IdempotencyRecords = {
  /** Times are ISO 8601. At most one holder at a time gets `reserved`. */
  reserve(request: Holder & { fingerprint: string; at: string }): Promise<Reservation>;
  /**
   * `concerns`: IDs of subjects and projects, and keyed hashes of addresses, that the response is about. Does nothing
   * if the holder has lost its reservation.
   */
  keep(request: Holder, answer: EncryptedResponse & { concerns: readonly string[] }): Promise<void>;
  /** Removes the record, unless the holder has lost its reservation. */
  release(request: Holder): Promise<void>;
  /** Removes all responses about this concern. */
  forget(concern: string): Promise<void>;
  /** Removes records that were reserved more than a key's lifetime before `at`. */
  forgetOld(at: string): Promise<void>;
};

/** Longer than any request should take. The log keeps a slower request from deciding twice. */
const leaseMs = 60_000;

const before = (at: string, ms: number) => new Date(Date.parse(at) - ms).toISOString();

export async function migrateIdempotencyRecords(pool: Pool): Promise<void> {
  await migrate(pool, new URL('./migrations/', import.meta.url), 'requests');
}

export function createIdempotencyRecords(pool: Pool): IdempotencyRecords {
  return {
    reserve: async ({ id, fingerprint, holder, at }) => {
      const [forgotten, dead] = [before(at, keyLifeMs), before(at, leaseMs)];
      const inserted = await pool.query(
        'insert into requests.answers (id, fingerprint, holder, started_at) values ($1, $2, $3, $4) on conflict do nothing',
        [id, fingerprint, holder, at],
      );
      if (inserted.rowCount === 1) return { state: 'reserved' };
      const { rows } = await pool.query<{
        fingerprint: string;
        answer: string | null;
        subjects: string[];
        isOld: boolean;
        isDead: boolean;
      }>(
        `select fingerprint, answer, subjects, started_at < $2 as "isOld", answer is null and started_at < $3 as "isDead"
         from requests.answers where id = $1`,
        [id, forgotten, dead],
      );
      const [row] = rows;
      // Released between the two statements, so the next attempt finds it free.
      if (!row) return { state: 'running' };
      if (!row.isOld && row.fingerprint !== fingerprint) return { state: 'other_request' };
      if (!row.isOld && row.answer !== null) {
        return { state: 'answered', answer: row.answer, subjects: row.subjects };
      }
      if (!row.isOld && !row.isDead) return { state: 'running' };
      const renewed = await pool.query(
        `update requests.answers set fingerprint = $2, holder = $3, started_at = $4, answer = null, subjects = '{}', concerns = '{}'
         where id = $1 and (started_at < $5 or answer is null and started_at < $6)`,
        [id, fingerprint, holder, at, forgotten, dead],
      );
      return { state: renewed.rowCount === 1 ? 'reserved' : 'running' };
    },
    keep: async ({ id, holder }, { answer, subjects, concerns }) => {
      await pool.query(
        'update requests.answers set answer = $3, subjects = $4, concerns = $5 where id = $1 and holder = $2',
        [id, holder, answer, subjects, concerns],
      );
    },
    release: async ({ id, holder }) => {
      await pool.query('delete from requests.answers where id = $1 and holder = $2 and answer is null', [id, holder]);
    },
    forget: async (concern) => {
      await pool.query('delete from requests.answers where concerns @> array[$1]', [concern]);
    },
    forgetOld: async (at) => {
      await pool.query('delete from requests.answers where started_at < $1', [before(at, keyLifeMs)]);
    },
  };
}
