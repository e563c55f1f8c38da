import type { StoredWrite } from '../codec.ts';
import { ConcurrencyError } from '../port.ts';

/** How one append of a batch ended: its last position, the stream that was not at its expected revision, or an error. */
export type Outcome = { position: bigint } | { lostStream: string } | { error: unknown };

/** Appends a batch of appends that share no stream, in one transaction. Outcomes in the order of the batch; never throws. */
export type CommitBatch = (batch: readonly (readonly StoredWrite[])[]) => Promise<readonly Outcome[]>;

export type GroupCommit = {
  /** @throws ConcurrencyError, or what the database rejected it for */
  append(writes: readonly StoredWrite[]): Promise<{ position: bigint }>;
  /** Resolves when nothing is waiting any more. */
  idle(): Promise<void>;
};

type Waiting = {
  writes: readonly StoredWrite[];
  resolve: (result: { position: bigint }) => void;
  reject: (error: unknown) => void;
};

/** Enough to keep the disk busy; more only makes the first of a batch wait for the last. */
const maxBatchAppends = 500;

/** Gathers the appends that wait while one batch is being committed into the next batch. One that fails fails alone. */
export function createGroupCommit(commit: CommitBatch): GroupCommit {
  let waiting: Waiting[] = [];
  let committing: Promise<void> | undefined;

  /** Takes what can be committed together: a stream that occurs already waits for the next batch. */
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
      // Whoever has just been answered, or asks in the same moment, gets into this batch instead of the one after it.
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
