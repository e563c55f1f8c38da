import type { StoredWrite } from '../codec.ts';
import { ConcurrencyError } from '../port.ts';

/** How one append of a batch ended: its last position, or the stream that was not at its expected revision. */
export type Outcome = { position: bigint } | { lostStream: string };

/** Appends a batch of appends that share no stream, in one transaction. Outcomes in the order of the batch. */
export type CommitBatch = (batch: readonly (readonly StoredWrite[])[]) => Promise<readonly Outcome[]>;

type Waiting = {
  writes: readonly StoredWrite[];
  resolve: (result: { position: bigint }) => void;
  reject: (error: unknown) => void;
};

/** Enough to keep the disk busy; more only makes the first of a batch wait for the last. */
const maxBatchAppends = 500;

/**
 * Gathers the appends that wait while one batch is being committed into the next batch. One append that fails fails alone:
 * a lost race by its outcome, anything else because a batch that throws is repeated append by append.
 */
export function createGroupCommit(
  commit: CommitBatch,
): (writes: readonly StoredWrite[]) => Promise<{ position: bigint }> {
  let waiting: Waiting[] = [];
  let isCommitting = false;

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
    isCommitting = true;
    while (waiting.length > 0) await commitTogether(takeBatch());
    isCommitting = false;
  }

  async function commitTogether(batch: readonly Waiting[]): Promise<void> {
    try {
      const outcomes = await commit(batch.map(({ writes }) => writes));
      batch.forEach((append, index) => {
        settle(append, outcomes[index]);
      });
    } catch (error) {
      const [only] = batch;
      if (only && batch.length === 1) only.reject(error);
      else for (const append of batch) await commitTogether([append]);
    }
  }

  return (writes) =>
    new Promise((resolve, reject) => {
      waiting.push({ writes, resolve, reject });
      if (!isCommitting) void commitAll();
    });
}

function settle({ resolve, reject }: Waiting, outcome: Outcome | undefined): void {
  if (!outcome) reject(new Error('an append of the batch has no outcome'));
  else if ('position' in outcome) resolve(outcome);
  else reject(new ConcurrencyError(outcome.lostStream));
}
