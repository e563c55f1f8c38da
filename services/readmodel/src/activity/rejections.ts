import type { Logger } from '@gatebook/runtime/logger';
import { pause } from '@gatebook/runtime/pause';
import { inTransaction, type Pool } from '@gatebook/runtime/postgres';
import { addRejectedRequests, createRequestSamples, type RejectedRequest } from './rejected-requests.ts';
import { createRejectionCounts, type RejectionRow, settledBefore, settleMs } from './rejection-counts.ts';
import { addRejections, beginRejections, findLastExpiry, findQuietTime, markThrottled } from './rejection-rows.ts';

/** `failures` sign-ins of a user failed within `minutes`, so a sign-in was rejected. */
export type Throttled = {
  projectId: string;
  userId: string;
  failures: number;
  minutes: number;
  requestId: string;
  /** ISO 8601. */
  at: string;
};

export type Rejections = {
  /**
   * Counts a rejection, and keeps the request if there is room for it. Costs the same for every request and is
   * written a moment later.
   */
  record(request: RejectedRequest): void;
  /** Adds an event to the log, a moment later and once in `minutes`, whatever the number of processes. */
  recordThrottled(throttled: Throttled): void;
  /**
   * Makes sure that all counts that are settled at a time (milliseconds) are in the table. Tries it for five seconds
   * unless told otherwise, and at least once.
   * @returns this time, or an earlier one at which it is so
   */
  settle(at: number, maxWaitMs?: number): Promise<number>;
  /** When the worker last deleted old rejections, in milliseconds; null: never. */
  findLastExpiry(): Promise<number | null>;
  /** Writes everything that is buffered. */
  flush(): Promise<void>;
  /** Drops the buffered rejections of a deleted user or project. */
  drop(isMeant: (row: Pick<RejectionRow, 'userId' | 'projectId'>) => boolean): void;
  close(): Promise<void>;
};

type Options = {
  pool: Pool;
  logger: Logger;
  /** Appends the event. Repeated after a failure, even if the event was appended. */
  onThrottled: (throttled: Throttled) => Promise<unknown>;
  /** How long after its window a count is late. */
  lateAfterMs?: number;
  maxRows?: number;
  maxRowsPerProject?: number;
};

const writeEveryMs = 1000;
const rowsPerWrite = 1_000;
const maxThrottled = 1_000;
/** About ten minutes. */
const maxAttempts = 600;
const patienceMs = 5_000;
const pollMs = 20;

/** Counts of a transaction whose outcome is unknown, because its connection broke. */
type Undecided = { transactionId: string; rows: readonly RejectionRow[] };

/**
 * Counts rejections in memory and adds them to the table once a second (docs/decisions/0049). Counts are exact unless
 * the process is killed: what could not be written is kept, and what may have been written is looked up.
 */
export function createRejections({
  pool,
  logger,
  onThrottled,
  lateAfterMs = settleMs,
  ...limits
}: Options): Rejections {
  const counts = createRejectionCounts(limits);
  const samples = createRequestSamples();
  let undecided: Undecided | null = null;
  /** A time of the database, in milliseconds: what was settled then is in the table. */
  let settledAt = 0;
  /** Accounts whose event may not be in the log yet. */
  const throttled = new Map<string, { account: Throttled; attempts: number }>();
  /** When the throttling of an account was last recorded, in milliseconds. */
  const recordedAt = new Map<string, number>();
  let writing: Promise<void> = Promise.resolve();
  const timer = setInterval(() => {
    flush().catch((error: unknown) => logger.warn({ err: error }, 'could not write rejections'));
  }, writeEveryMs);
  timer.unref();

  async function writeCounts(): Promise<void> {
    if (undecided !== null) {
      const { transactionId, rows } = undecided;
      if (!(await hasCommitted(pool, transactionId))) counts.putBack(rows);
      undecided = null;
    }
    const taken = counts.take();
    for (let from = 0; from < taken.length; from += rowsPerWrite) {
      const rows = taken.slice(from, from + rowsPerWrite);
      let transactionId: string | undefined;
      try {
        await inTransaction(pool, async (tx) => {
          transactionId = await beginRejections(tx);
          await addRejections(tx, rows, lateAfterMs);
        });
      } catch (error) {
        if (transactionId === undefined) counts.putBack(rows);
        else undecided = { transactionId, rows };
        counts.putBack(taken.slice(from + rowsPerWrite));
        throw error;
      }
    }
  }

  async function writeRequests(): Promise<void> {
    const requests = samples.take();
    try {
      await addRejectedRequests(pool, requests);
    } catch (error) {
      samples.putBack(requests);
      throw error;
    }
  }

  async function appendThrottled(): Promise<void> {
    for (const [userId, { account, attempts }] of [...throttled]) {
      if (!throttled.has(userId)) continue;
      try {
        if (await markThrottled(pool, account)) await onThrottled(account);
        if (recordedAt.size >= maxThrottled) recordedAt.clear();
        recordedAt.set(userId, Date.parse(account.at));
        throttled.delete(userId);
      } catch (error) {
        logger.warn({ err: error, requestId: account.requestId }, 'could not record throttled sign-ins');
        // Tried again with the next write, after the other accounts.
        const isDropped = !throttled.delete(userId);
        if (!isDropped && attempts + 1 < maxAttempts) throttled.set(userId, { account, attempts: attempts + 1 });
        return;
      }
    }
  }

  async function write(): Promise<void> {
    await appendThrottled();
    try {
      await writeCounts();
      await writeRequests();
    } finally {
      const lost = counts.prune();
      if (lost > 0) logger.error({ lost }, 'lost rejections, because too many are waiting to be written');
    }
  }

  function flush(): Promise<void> {
    writing = writing.catch(() => undefined).then(write);
    return writing;
  }

  async function settle(at: number, maxWaitMs = patienceMs): Promise<number> {
    const isSettled = () => settledBefore(settledAt) >= settledBefore(at);
    for (const until = performance.now() + maxWaitMs; !isSettled(); await pause(pollMs)) {
      settledAt = Math.max(settledAt, (await findQuietTime(pool)) ?? 0);
      if (!isSettled() && performance.now() >= until) return settledAt;
    }
    return at;
  }

  return {
    settle,
    findLastExpiry: () => findLastExpiry(pool),
    record: (request) => {
      const { status: _status, isAccess, actor: _actor, permission: _permission, ...rejection } = request;
      if (isAccess) counts.add(rejection);
      samples.add(request);
    },
    recordThrottled: (account) => {
      const { userId, minutes, at } = account;
      const isRecorded = Date.parse(at) < (recordedAt.get(userId) ?? -Infinity) + minutes * 60_000;
      if (isRecorded || throttled.has(userId) || throttled.size >= maxThrottled) return;
      throttled.set(userId, { account, attempts: 0 });
    },
    flush,
    drop: (isMeant) => {
      counts.drop(isMeant);
      samples.drop(({ projectId, userId, actor }) =>
        [userId, actor?.id ?? null, actor?.impersonator?.id ?? null].some((id) => isMeant({ projectId, userId: id })),
      );
      for (const [userId, { account }] of throttled) if (isMeant(account)) throttled.delete(userId);
    },
    close: async () => {
      clearInterval(timer);
      await flush();
    },
  };
}

/** @throws Error if Postgres is unavailable or the transaction is still running */
async function hasCommitted(pool: Pool, transactionId: string): Promise<boolean> {
  const { rows } = await pool.query<{ status: string | null }>(
    `select case when $1::xid8 >= pg_current_xact_id() then 'aborted'
       else pg_xact_status($1::xid8) end as status`,
    [transactionId],
  );
  // A transaction of the future: the database was restored from before it.
  const status = rows[0]?.status;
  if (status === 'in progress') throw new Error('the transaction that wrote rejections is still running');
  // Null: too old to know.
  return status !== 'aborted';
}
