import type { PublicEventType } from '@gatebook/domain/public-events/types';
import type { EventStore } from '@gatebook/eventlog/port';
import { least } from '@gatebook/projections/positions';
import type { ReadModels } from '@gatebook/projections/wait';
import type { ReadDb } from '../read-db.ts';
import { type Data, dataOf, type Facts } from './event-data.ts';
import { readFacts } from './event-facts.ts';
import { toPublicId } from './event-id.ts';
import type { StreamStore } from './folded-streams.ts';
import { type EventRow, findFirstSince, kindsOf, listEventRows } from './queries.ts';
import type { Slot } from './slot.ts';
import { listSlots } from './slots.ts';

export type PublicEvent = {
  id: string;
  type: PublicEventType;
  /** Milliseconds since 1970, when the log committed it. */
  at: number;
  actor: { kind: string; id: string | null };
  requestId: string;
  data: Data;
  /** Subjects of the data, besides those that it names: with their keys, parts of it are erased. */
  subjects: readonly string[];
};

/** null matches every value. Times are in milliseconds; `until` is exclusive. */
export type FeedFilters = {
  types: readonly PublicEventType[] | null;
  userId: string | null;
  teamId: string | null;
  since: number | null;
  until: number | null;
};
export const everyPublicEvent: FeedFilters = { types: null, userId: null, teamId: null, since: null, until: null };

/** A place between two public events. `nth`: among those that the row at `index` stands for. */
export type FeedPlace = { position: bigint; index: number; nth: number };
export const feedStart: FeedPlace = { position: 0n, index: 0, nth: 0 };
export const afterPosition = (position: bigint): FeedPlace => ({ position, index: 2_147_483_647, nth: 0 });

/** `after`: the place after the event. `next`: where to go on, also if nothing matched. */
export type FeedPage = {
  items: readonly { event: PublicEvent; after: FeedPlace }[];
  next: FeedPlace;
  hasMore: boolean;
};

export type FeedParts = {
  db: ReadDb;
  store: StreamStore & Pick<EventStore, 'readAt' | 'readAll'>;
  readModels: Pick<ReadModels, 'position' | 'isQuarantined'>;
};

/** How many rows a statement looks at and how often, if few of them match. */
const scanSize = 2_000;
const maxScans = 5;
/** Rows that are looked at, and events that are read from the log, at a time. */
const chunkSize = 100;
/** Events that a page begins with, because they can be large. */
const firstEvents = 8;
/** A row that stands for events of more users ends its page after this many. */
export const maxSlots = 200;
/** A page ends once its data reaches this size. */
const maxBytes = 4_194_304;

/**
 * Up to where the public events of a project are complete; -1n if that is not known, and while the project is
 * quarantined, because its rows lack events. What the API shows of them is never older, because the main read models
 * have come that far too.
 */
export const feedBound = ({ readModels }: Pick<FeedParts, 'readModels'>, projectId: string): bigint =>
  least(
    (['events', 'main'] as const).map((group) =>
      readModels.isQuarantined([projectId], group) ? -1n : readModels.position([projectId], group),
    ),
  );

/** The next public events of a project, in the order of the log. The page can be short and still have a next one. */
export async function readFeed(
  parts: FeedParts,
  projectId: string,
  filters: FeedFilters,
  { from, limit }: { from: FeedPlace; limit: number },
): Promise<FeedPage> {
  const bound = feedBound(parts, projectId);
  const start = await startOf(parts, projectId, filters, { from, bound });
  const found = await findRows(parts, projectId, filters, { from: start, bound, limit: limit + 1 });
  const incomplete = await findIncompleteWrite(parts, bound);
  const heldAt = found.rows.findIndex((row) => incomplete !== null && isPartOf(incomplete, row));
  const rows = heldAt === -1 ? found.rows : found.rows.slice(0, heldAt);
  const held = found.rows[heldAt];
  const end = held ? placeBefore(held) : (found.next ?? latest(from, afterPosition(bound)));
  const page = await fillPage(parts, projectId, filters, { rows, from, limit });
  return page.next === null
    ? { items: page.items, next: end, hasMore: held === undefined && found.next !== null }
    : { items: page.items, next: page.next, hasMore: true };
}

const latest = (one: FeedPlace, other: FeedPlace): FeedPlace => (one.position > other.position ? one : other);
const placeBefore = ({ position, index }: EventRow): FeedPlace => ({ position, index, nth: 0 });
const placeAfter = ({ position, index }: Pick<EventRow, 'position' | 'index'>): FeedPlace => ({
  ...{ position, index: index + 1, nth: 0 },
});

/** An event of the time itself may be after the bound. */
async function startOf(
  { db }: FeedParts,
  projectId: string,
  { since }: FeedFilters,
  { from, bound }: { from: FeedPlace; bound: bigint },
): Promise<FeedPlace> {
  if (since === null) return from;
  const position = (await findFirstSince(db, projectId, since)) ?? bound + 1n;
  return position <= from.position ? from : { position, index: 0, nth: 0 };
}

/** A bulk request writes for longer, and its earlier writes are complete. */
const longestWriteMs = 1_000;
const isPartOf = (next: Pick<EventRow, 'requestId' | 'at'>, { requestId, at }: EventRow) =>
  requestId === next.requestId && next.at - at < longestWriteMs;

/** A write of which the log has events after the bound: its public events are told once all are projected. */
async function findIncompleteWrite({ store }: FeedParts, bound: bigint) {
  if (bound < 0n) return null;
  const [next] = await store.readAll(bound, 1, { personal: true, large: true });
  return next ? { requestId: next.metadata.requestId, at: Date.parse(next.committedAt) } : null;
}

/** `next`: where to go on if there may be more rows up to the bound. */
async function findRows(
  { db }: FeedParts,
  projectId: string,
  { types, userId, teamId, until }: FeedFilters,
  { from, bound, limit }: { from: FeedPlace; bound: bigint; limit: number },
): Promise<{ rows: EventRow[]; next: FeedPlace | null }> {
  const kinds = types && kindsOf(types);
  const isExact = [kinds, userId, teamId].filter((filter) => filter !== null).length <= 1;
  const rows: EventRow[] = [];
  let place = from;
  for (let scan = 0; scan < maxScans; scan += 1) {
    // After the first scan, about twice what is missing, because some rows are not told.
    const missing = Math.min(limit, 2 * (limit - rows.length));
    const size = isExact ? missing : scan === 0 ? 2 * limit : scanSize;
    const range = { position: place.position, index: place.index, bound };
    const found = await listEventRows(db, projectId, { kinds, userId, teamId, until }, range, size);
    rows.push(...found.rows);
    if (found.scannedTo === null) return { rows, next: null };
    place = placeAfter(found.scannedTo);
    if (rows.length >= limit) break;
  }
  const beyond = rows[limit];
  return { rows: rows.slice(0, limit), next: beyond ? placeBefore(beyond) : place };
}

type Filled = { items: FeedPage['items']; next: FeedPlace | null };

/** Turns rows into events, until there are enough. `next`: null if all rows are in the page. */
async function fillPage(
  parts: FeedParts,
  projectId: string,
  filters: FeedFilters,
  { rows, from, limit }: { rows: readonly EventRow[]; from: FeedPlace; limit: number },
): Promise<Filled> {
  const source = createSlotSource(parts, projectId, { rows, filters, from });
  const read = async (count: number): Promise<Reading> => {
    const slots = await source.take(count);
    const facts = readFacts(parts, projectId, slots);
    // The page can end before they are needed.
    facts.catch(() => undefined);
    return { slots, facts };
  };
  const items: { event: PublicEvent; after: FeedPlace }[] = [];
  let [bytes, done] = [0, 0];
  let ahead: Reading | null = null;
  for (let current = await read(firstEvents); current.slots.length > 0; ) {
    const size = done === 0 ? null : bytes / done;
    const room = maxBytes - bytes - (size ?? 0) * current.slots.length;
    const count = size === null ? 0 : Math.min(chunkSize, 4 * done, Math.floor(room / Math.max(size, 1)));
    // The database reads them while those before are decrypted and folded.
    if (count > 0) ahead = await read(count);
    const facts = await current.facts;
    for (const [at, slot] of current.slots.entries()) {
      const event = toEvent(slot, facts[at] ?? null);
      if (!event) continue;
      if (items.length === limit || bytes > maxBytes) return { items, next: placeOf(slot) };
      items.push({ event, after: placeOf(slot, 1) });
      bytes += JSON.stringify(event.data).length;
    }
    done += current.slots.length;
    current = ahead ?? (await read(nextCount(done, bytes)));
    ahead = null;
  }
  return { items, next: source.rest() };
}

/** Events that are being read. */
type Reading = { slots: readonly Slot[]; facts: Promise<(Facts | null)[]> };

/** How many events to read next: as many as there is room for, if they are as large as the ones before. */
const nextCount = (done: number, bytes: number): number =>
  Math.max(1, Math.min(chunkSize, 4 * done, Math.floor(((maxBytes - bytes) * done) / Math.max(bytes, 1))));

/** The wanted events of rows, in order. `rest`: where to go on if a row stands for more than the page takes. */
function createSlotSource(
  parts: FeedParts,
  projectId: string,
  { rows, filters, from }: { rows: readonly EventRow[]; filters: FeedFilters; from: FeedPlace },
) {
  let [slots, begin]: [Slot[], number] = [[], 0];
  let rest: FeedPlace | null = null;
  return {
    /** At most `count`; none at the end. */
    take: async (count: number): Promise<Slot[]> => {
      while (slots.length === 0 && begin < rows.length && rest === null) {
        ({ slots, rest } = await slotsOf(parts, projectId, rows.slice(begin, begin + chunkSize), filters, from));
        begin += chunkSize;
      }
      return slots.splice(0, count);
    },
    rest: () => rest,
  };
}

export const placeOf = ({ row: { position, index }, nth }: Slot, past = 0): FeedPlace => ({
  ...{ position, index, nth: nth + past },
});

/** Those of the rows that are wanted. `rest`: where to go on if a row stands for more. */
async function slotsOf(
  parts: FeedParts,
  projectId: string,
  rows: readonly EventRow[],
  filters: FeedFilters,
  from: FeedPlace,
): Promise<{ slots: Slot[]; rest: FeedPlace | null }> {
  const { userId } = filters;
  const slots: Slot[] = [];
  for (const row of rows) {
    const isFirst = row.position === from.position && row.index === from.index;
    const range = { from: isFirst ? from.nth : 0, userId, limit: maxSlots };
    const found = await listSlots(parts, projectId, row, range);
    slots.push(...found.filter((slot) => isWanted(slot, filters)));
    const last = found.at(-1);
    if (row.kind === 'selected_team.changed' && last && found.length === maxSlots)
      return { slots, rest: placeOf(last, 1) };
  }
  return { slots, rest: null };
}

/** Rows match as a whole, so the events that they stand for are compared again. */
const isWanted = (slot: Slot, { types, userId, teamId }: FeedFilters): boolean =>
  (types?.includes(slot.type) ?? true) &&
  (userId === null || slot.userId === userId) &&
  (teamId === null || slot.teamId === teamId);

export function toEvent({ row, nth, type }: Slot, facts: Facts | null): PublicEvent | null {
  const data = facts && dataOf(facts);
  if (!facts || !data) return null;
  const id = toPublicId({ eventId: row.eventId, index: row.index, nth });
  const actor = { kind: row.actorKind, id: row.actorId };
  const subjects = facts.teamSubjectId === null ? [] : [facts.teamSubjectId];
  return { id, type, at: row.at, actor, requestId: row.requestId, data, subjects };
}
