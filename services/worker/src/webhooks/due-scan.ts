import type { Ordering } from '@gatebook/readmodel/webhooks/deliveries';
import type { DuePlace, DueRange, LeasedDeliveries } from '@gatebook/readmodel/webhooks/lease-deliveries';

/** How often what was passed over is looked at again: another process may have died before it went on with it. */
const sweepMs = 30_000;

/**
 * How far this process has looked through the due messages of an endpoint. With `subject`, messages that wait for an
 * earlier one are passed over. Once it is finished, the next one of its subject is looked for by name.
 */
export type DueScan = {
  /** Whether there may be something to lease. */
  hasMore(): boolean;
  /** There may be new messages, or some that have become due. */
  restart(): void;
  /** No attempt follows of some messages of these subjects. */
  finish(subjects: readonly string[]): void;
  /** With another ordering, what was passed over can be leased: it begins at the front. */
  begin(ordering: Ordering): DueRange;
  /** `found`: null if another process is leasing. */
  note(found: LeasedDeliveries | null, by: { ordering: Ordering; limit: number }): void;
  /** There is nothing to lease for now. */
  end(): void;
};

export function createDueScan(now: () => number = () => performance.now()): DueScan {
  let place: DuePlace | null = null;
  let scanned: Ordering | null = null;
  let sweptAt = now();
  let isEnd = false;
  /** Messages may have come after what is being leased was looked at. */
  let isRestarted = false;
  /** Messages have been passed over since the last sweep. */
  let hasBlocked = false;
  let finished = new Set<string>();
  /** The subjects that are being looked for; null while nothing is being leased. */
  let looked: readonly string[] | null = null;

  return {
    hasMore: () => !isEnd || (hasBlocked && finished.size > 0),
    restart: () => {
      isEnd = false;
      isRestarted = true;
      if (now() - sweptAt < sweepMs) return;
      sweptAt = now();
      place = null;
      hasBlocked = false;
    },
    finish: (subjects) => {
      // Otherwise the next one is found like any other.
      if (!hasBlocked && looked === null) return;
      for (const subject of subjects) finished.add(subject);
    },
    begin: (ordering) => {
      if (ordering !== scanned) {
        place = null;
        hasBlocked = false;
        scanned = ordering;
      }
      const subjects = [...finished];
      looked = subjects;
      finished = new Set();
      isRestarted = false;
      return { from: place, subjects };
    },
    note: (found, { ordering, limit }) => {
      const hasLeft = !found || found.isLimited || found.deliveries.length === limit;
      if (hasLeft) for (const subject of looked ?? []) finished.add(subject);
      looked = null;
      isEnd = !isRestarted;
      if (!found || found.isLimited) return;
      // All later messages wait for the first one.
      if (ordering === 'strict') hasBlocked = true;
      if (ordering === 'none') isEnd &&= !hasLeft;
      if (ordering === 'subject') {
        place = found.next;
        isEnd &&= found.isEnd;
        hasBlocked ||= found.hasBlocked;
      }
      if (!hasBlocked) finished.clear();
    },
    end: () => {
      for (const subject of looked ?? []) finished.add(subject);
      looked = null;
      isEnd = true;
    },
  };
}
