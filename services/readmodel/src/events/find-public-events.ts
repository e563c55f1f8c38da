import { readFacts } from './event-facts.ts';
import { fromPublicId } from './event-id.ts';
import { type FeedParts, feedBound, maxSlots, type PublicEvent, placeOf, toEvent } from './feed.ts';
import { type EventRow, findEventRow, findEventRows } from './queries.ts';
import type { Slot } from './slot.ts';
import { listSlots } from './slots.ts';

/** An event by its ID; null if the project has none, or if it is not complete yet. */
export async function findPublicEvent(parts: FeedParts, projectId: string, id: string) {
  const origin = fromPublicId(id);
  const row = origin && (await findEventRow(parts.db, projectId, origin.eventId, origin.index));
  if (!row || row.position > feedBound(parts, projectId)) return null;
  const [slot] = await findSlots(parts, projectId, row, [origin.nth]);
  const [facts = null] = slot ? await readFacts(parts, projectId, [slot]) : [];
  const event = slot && toEvent(slot, facts);
  return event ? { event, after: placeOf(slot, 1) } : null;
}

/** Those at these places within a row. Neighbors are read together, because each look begins at the first one. */
async function findSlots(
  parts: FeedParts,
  projectId: string,
  row: EventRow,
  nths: readonly number[],
): Promise<readonly Slot[]> {
  const found: Slot[] = [];
  let rest = [...new Set(nths)].sort((one, other) => one - other);
  for (let [from] = rest; from !== undefined; [from] = rest) {
    const end = from + maxSlots;
    const slots = await listSlots(parts, projectId, row, { from, userId: null, limit: maxSlots });
    const read = new Set(rest.filter((nth) => nth < end));
    found.push(...slots.filter(({ nth }) => read.has(nth)));
    rest = rest.filter((nth) => nth >= end);
  }
  return found;
}

/** Events by their IDs. Those that the project does not have, or that are not complete yet, are missing. */
export async function findPublicEvents(
  parts: FeedParts,
  projectId: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, PublicEvent>> {
  const origins = ids.flatMap((id) => fromPublicId(id) ?? []);
  const bound = feedBound(parts, projectId);
  const wanted = Map.groupBy(origins, ({ eventId, index }) => `${eventId}.${index}`);
  // A row can stand for many of the events.
  const ofRows = [...wanted.values()].flatMap(([first]) => first ?? []);
  const rows = (await findEventRows(parts.db, projectId, ofRows)).filter(({ position }) => position <= bound);
  const slots: Slot[] = [];
  for (const row of rows) {
    const nths = (wanted.get(`${row.eventId}.${row.index}`) ?? []).map(({ nth }) => nth);
    slots.push(...(await findSlots(parts, projectId, row, nths)));
  }
  const facts = await readFacts(parts, projectId, slots);
  const events = slots.flatMap((slot, at) => toEvent(slot, facts[at] ?? null) ?? []);
  return new Map(events.map((event) => [event.id, event]));
}
