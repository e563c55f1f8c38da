import type { StoredWrite } from '../codec.ts';
import { ConcurrencyError } from '../port.ts';

/** The outcome of one append of a batch: its last position, the stream with the conflict, or an error. */
export type Outcome = { position: bigint } | { lostStream: string } | { error: unknown };

/**
 * Appends a batch of appends that share no stream, in one transaction. Returns outcomes in the order of the batch;
 * never throws.
 */
export type CommitBatch = (batch: readonly (readonly StoredWrite[])[]) => Promise<readonly Outcome[]>;

export type GroupCommit = {
  /** @throws ConcurrencyError, or the reason for which the database rejected it */
  append(writes: readonly StoredWrite[]): Promise<{ position: bigint }>;
  /** Resolves when no append is waiting. */
  idle(): Promise<void>;
};

type Waiting = {
  writes: readonly StoredWrite[];
  resolve: (result: { position: bigint }) => void;
  reject: (error: unknown) => void;
};

/** Enough to keep the disk busy. More would only make the first append of a batch wait for the last. */
const maxBatchAppends = 500;

/** Collects the appends that arrive during a commit into the next batch. An append that fails fails alone. */
export function createGroupCommit(commit: CommitBatch): GroupCommit {
  let waiting: Waiting[] = [];
  let committing: Promise<void> | undefined;

  /**
   * Takes appends that can be committed together. An append to a stream that already occurs waits for the next batch.
   */
  function takeBatch(): Waiting[] {
    const streams = new Set<string>();
    const batch: Waiting[] = [];
    const left: Waiting[] = [];
    for (const append of waiting) {
      const isFree = batch.length < maxBatchAppends && append.writes.every(({ stream }) => !streams.has(stream));
      (isFree ? batch : left).push(append);
      for (const { stream } of append.writes) streams.add(stream);
    }
    waiting = left;
    return batch;
  }

  async function commitAll(): Promise<void> {
    while (waiting.length > 0) {
      // Callers that were just answered, or append at this moment, get into this batch instead of the next.
      await new Promise((resume) => setImmediate(resume));
      const batch = takeBatch();
      const outcomes = await commit(batch.map(({ writes }) => writes));
      batch.forEach((append, index) => {
        settle(append, outcomes[index]);
      });
    }
    committing = undefined;
  }

  return {
    append: (writes) =>
      new Promise((resolve, reject) => {
        waiting.push({ writes, resolve, reject });
        committing ??= commitAll();
      }),
    idle: async () => committing,
  };
}

function settle({ resolve, reject }: Waiting, outcome: Outcome | undefined): void {
  if (!outcome) reject(new Error('an append of the batch has no outcome'));
  else if ('position' in outcome) resolve(outcome);
  else if ('error' in outcome) reject(outcome.error);
  else reject(new ConcurrencyError(outcome.lostStream));
}
