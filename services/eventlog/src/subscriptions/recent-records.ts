import { type StoredRecord, sizeOf } from '../stored-event.ts';

/** The newest events of the log, encrypted as they are stored. */
export type RecentRecords = {
  /** Contains every event after this position, up to `end`. */
  start(): bigint;
  end(): bigint;
  /** Adds the events after `end`, and drops the oldest ones if there are too many. @returns the added ones */
  add(records: readonly StoredRecord[]): readonly StoredRecord[];
  /** At most `limit` events after a position that is not before `start`. */
  after(position: bigint, limit: number): readonly StoredRecord[];
};

export type RecentLimits = { maxRecords: number; maxBytes: number };

export function createRecentRecords(position: bigint, { maxRecords, maxBytes }: RecentLimits): RecentRecords {
  const kept: { record: StoredRecord; bytes: number }[] = [];
  let [start, end, bytes] = [position, position, 0];

  function dropOldest(): void {
    let count = 0;
    for (; kept.length - count > maxRecords || bytes > maxBytes; count += 1) bytes -= kept[count]?.bytes ?? bytes;
    start = kept[count - 1]?.record.position ?? start;
    kept.splice(0, count);
  }

  /** Index of the first event after `position`. */
  function indexAfter(position: bigint): number {
    let [low, high] = [0, kept.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((kept[middle]?.record.position ?? end) <= position) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  return {
    start: () => start,
    end: () => end,
    add: (records) => {
      const added = records.filter((record) => record.position > end);
      for (const record of added) {
        const size = sizeOf(record);
        kept.push({ record, bytes: size });
        bytes += size;
      }
      end = added.at(-1)?.position ?? end;
      dropOldest();
      return added;
    },
    after: (position, limit) => {
      const first = indexAfter(position);
      return kept.slice(first, first + limit).map(({ record }) => record);
    },
  };
}
