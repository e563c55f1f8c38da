import type { Recorded } from '@gatebook/domain/event';
import type { EventStore } from '@gatebook/eventlog/port';

const pageSize = 5000;

/** Reads the log after `from` up to `to`, page by page. @throws Error if the log ends before `to` */
export async function* logPages(
  store: EventStore,
  { from, to }: { from: bigint; to: bigint },
): AsyncGenerator<readonly Recorded[]> {
  let position = from;
  while (position < to) {
    const page = await store.readAll(position, pageSize);
    const events = page.filter((event) => event.position <= to);
    const last = events.at(-1);
    if (!last) throw new Error(`the log ends before position ${to}`);
    yield events;
    position = last.position;
  }
}
