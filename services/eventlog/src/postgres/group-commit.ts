import type { StoredWrite } from '../codec.ts';
import { maxPageBytes } from '../max-page-bytes.ts';
import { ConcurrencyError } from '../port.ts';
import { jsonOf } from '../stored-event.ts';

/** The outcome of one append of a batch: its last position, the stream with the conflict, or an error. */
export type Outcome = { position: bigint } | { lostStream: string } | { error: unknown };

/**
 * Appends a batch of appends, of which none writes to a stream of another one, in one transaction. Returns outcomes in
 * the order of the batch; never throws.
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
  bytes: number;
  resolve: (result: { position: bigint }) => void;
  reject: (error: unknown) => void;
};

/** Enough to keep the disk busy. More would only make the first append of a batch wait for the last. */
const maxBatchAppends = 500;

/**
 * Collects the appends that arrive during a commit into the next batch. An append that fails fails alone. `onBatch`
 * gets the number of appends of each batch.
 */
export function createGroupCommit(
  commit: CommitBatch,
  onBatch: (appends: number) => void = () => undefined,
): GroupCommit {
  let waiting: Waiting[] = [];
  let committing: Promise<void> | undefined;

  /**
   * Takes appends that can be committed together: none writes to a stream that another one writes to or guards. Such an
   * append waits for the next batch.
   */
  function takeBatch(): Waiting[] {
    const [written, guarded] = [new Set<string>(), new Set<string>()];
    const batch: Waiting[] = [];
    const left: Waiting[] = [];
    let bytes = 0;
    for (const append of waiting) {
      const isFree = ({ stream, events }: StoredWrite) =>
        !written.has(stream) && (events.length === 0 || !guarded.has(stream));
      const fits = batch.length < maxBatchAppends && (batch.length === 0 || bytes + append.bytes <= maxPageBytes);
      const isTaken = fits && append.writes.every(isFree);
      (isTaken ? batch : left).push(append);
      if (isTaken) bytes += append.bytes;
      for (const { stream, events } of append.writes) (events.length === 0 ? guarded : written).add(stream);
    }
    waiting = left;
    return batch;
  }

  async function commitAll(): Promise<void> {
    while (waiting.length > 0) {
      // Callers that were just answered, or append at this moment, get into this batch instead of the next.
      await new Promise((resume) => setImmediate(resume));
      const batch = takeBatch();
      onBatch(batch.length);
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
        waiting.push({ writes, bytes: sizeOfWrites(writes), resolve, reject });
        committing ??= commitAll();
      }),
    idle: async () => committing,
  };
}

function sizeOfWrites(writes: readonly StoredWrite[]): number {
  let bytes = 0;
  for (const { events } of writes) {
    for (const { data, encrypted, metadata } of events) {
      bytes += jsonOf(data).length + jsonOf(metadata).length + (encrypted?.length ?? 0);
    }
  }
  return bytes;
}

function settle({ resolve, reject }: Waiting, outcome: Outcome | undefined): void {
  if (!outcome) reject(new Error('an append of the batch has no outcome'));
  else if ('position' in outcome) resolve(outcome);
  else if ('error' in outcome) reject(outcome.error);
  else reject(new ConcurrencyError(outcome.lostStream));
}
