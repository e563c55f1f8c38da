import { referencesOf } from '../large-values/large-values.ts';
import type { SubscriptionOptions } from '../port.ts';
import { type StoredRecord, sizeOf } from '../stored-event.ts';

/** What a subscription gets next. */
export type Batch = {
  add(records: readonly StoredRecord[]): void;
  /** Milliseconds until it is to be delivered: 0 for now, Infinity while it is empty. */
  dueInMs(): number;
  /** Empties the batch. `skipped`: the last event, if it is not needed. */
  take(): { needed: readonly StoredRecord[]; skipped: StoredRecord | null };
};

/** Bounds of a batch that waits for more events. */
const [enoughEvents, enoughBytes] = [500, 1_048_576];
/** The position of a subscription becomes known after this many events that it does not need, or this long. */
export const [enoughSkipped, skippedMs] = [1_000, 5_000];

export function createBatch({ types, onlyWithBlobs = false, delayMs = 0, intervalMs = 0 }: SubscriptionOptions): Batch {
  let needed: StoredRecord[] = [];
  let skipped: StoredRecord | null = null;
  let [bytes, skippedCount, dueAt] = [0, 0, Number.POSITIVE_INFINITY];
  let takenAt = Number.NEGATIVE_INFINITY;

  const isNeeded = ({ type, data }: StoredRecord) =>
    !types?.has(type) && (!onlyWithBlobs || Object.keys(referencesOf(data)).length > 0);

  return {
    add: (records) => {
      if (records.length === 0) return;
      for (const record of records) {
        const isLeftOut = !isNeeded(record);
        skipped = isLeftOut ? record : null;
        if (isLeftOut) skippedCount += 1;
        else {
          needed.push(record);
          bytes += sizeOf(record);
        }
      }
      const now = performance.now();
      const neededAt = Math.max(now + delayMs, takenAt + intervalMs);
      dueAt = Math.min(dueAt, needed.length > 0 ? neededAt : now + skippedMs);
      if (needed.length >= enoughEvents || bytes >= enoughBytes || skippedCount >= enoughSkipped) dueAt = 0;
    },
    dueInMs: () => Math.max(0, dueAt - performance.now()),
    take: () => {
      const taken = { needed, skipped };
      needed = [];
      skipped = null;
      takenAt = performance.now();
      [bytes, skippedCount, dueAt] = [0, 0, Number.POSITIVE_INFINITY];
      return taken;
    },
  };
}
