import type { PublicEvent } from '@gatebook/readmodel/events/feed';
import type { LeasedDelivery } from '@gatebook/readmodel/webhooks/lease-deliveries';

const maxEvents = 1_000;
const maxBytes = 16 * 1_048_576;
/** Shortly after an erasure, no data of the person is sent any more. */
const keptMs = 2_000;

/** `unreadable`: not yet, or not for now. null: the log does not have it any more. */
export type FindEvent = (delivery: LeasedDelivery) => PublicEvent | 'unreadable' | null;

/** Events that were just read, so that their first attempts need not derive them again. */
export type RecentEvents = {
  /** What is being read for the message of another endpoint, by the event's ID. */
  loading: Map<string, Promise<FindEvent>>;
  add(events: readonly PublicEvent[]): void;
  find(id: string): PublicEvent | null;
};

export function createRecentEvents(now: () => number = () => performance.now()): RecentEvents {
  const kept = new Map<string, { event: PublicEvent; bytes: number; until: number }>();
  let bytes = 0;

  function forget(id: string): void {
    bytes -= kept.get(id)?.bytes ?? 0;
    kept.delete(id);
  }
  function forgetOld(): void {
    for (const [id, { until }] of kept) {
      if (until > now() && kept.size <= maxEvents && bytes <= maxBytes) return;
      forget(id);
    }
  }
  return {
    loading: new Map(),
    add: (events) => {
      for (const event of events) {
        forget(event.id);
        const size = JSON.stringify(event.data).length;
        kept.set(event.id, { event, bytes: size, until: now() + keptMs });
        bytes += size;
      }
      forgetOld();
    },
    find: (id) => {
      forgetOld();
      return kept.get(id)?.event ?? null;
    },
  };
}
