import type { EventFilters, EventMethods, PublicEvent } from '@gatebook/js/events';

/** `from`: all matching events since then are in `items`; null: all of them. */
export type NewestEvents = {
  /** Newest first. */
  items: readonly PublicEvent[];
  from: number | null;
  /** The cursor after the newest event. */
  nextAfter: string;
};
type List = EventMethods['listEvents'];
type Range = { sinceMillis?: number | undefined; untilMillis?: number | undefined };
type Budget = { calls: number };

const WANTED = 50;
const PAGE_SIZE = 200;
const FIRST_SPAN_MS = 15 * 60_000;
const SMALLEST_SPAN_MS = 1_000;
const GROWTH = 16;
const SHRINKAGE = 4;
const CALLS_PER_WINDOW = 5;
const MOST_CALLS = 40;

/**
 * The newest matching events before a time, and not before `since`. The feed only goes forward, so it is read in
 * windows of time: longer ones while they have few events, shorter ones where they have too many.
 */
export async function readNewest(
  list: List,
  filters: EventFilters,
  { since: first, before, now }: { since?: number | undefined; before?: number | undefined; now: number },
): Promise<NewestEvents> {
  const budget = { calls: 0 };
  const read = (range: Range, isSmallest = false) => readWindow(list, { ...filters, ...range }, budget, isSmallest);
  const everything = await read({ sinceMillis: first, untilMillis: before });
  if (everything) return { items: everything.items.reverse(), from: null, nextAfter: everything.nextAfter };
  const items: PublicEvent[] = [];
  let nextAfter: string | undefined;
  const end = first ?? 0;
  let until = before;
  for (let span = FIRST_SPAN_MS; until !== end; ) {
    const since: number = Math.max((until ?? now) - span, end);
    const window = await read({ sinceMillis: since, untilMillis: until }, span <= SMALLEST_SPAN_MS);
    if (!window) {
      span = Math.max(Math.floor(span / SHRINKAGE), SMALLEST_SPAN_MS);
      continue;
    }
    items.push(...window.items.reverse());
    nextAfter ??= window.nextAfter;
    until = since;
    if (items.length >= WANTED || budget.calls >= MOST_CALLS) break;
    span *= GROWTH;
  }
  return { items, from: until === end ? null : (until ?? null), nextAfter: nextAfter ?? '' };
}

/** All events of a window, oldest first; null if they are too many, unless the window is the smallest. */
async function readWindow(
  list: List,
  range: EventFilters & Range,
  budget: Budget,
  isSmallest: boolean,
): Promise<{ items: PublicEvent[]; nextAfter: string } | null> {
  const items: PublicEvent[] = [];
  let after: string | undefined;
  for (let call = 1; ; call += 1) {
    const page = await list({ ...range, after, limit: PAGE_SIZE });
    budget.calls += 1;
    items.push(...page.items);
    if (!page.hasMore) return { items, nextAfter: page.nextAfter };
    if (!isSmallest && (items.length >= PAGE_SIZE || call === CALLS_PER_WINDOW)) return null;
    after = page.nextAfter;
  }
}
