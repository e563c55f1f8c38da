import { kindsWithMemberships, type PublicEventType } from '@gatebook/domain/public-events/types';
import type { EventStore } from '@gatebook/eventlog/port';
import { least } from '@gatebook/projections/positions';
import type { ReadModels } from '@gatebook/projections/wait';
import type { ReadDb } from '../read-db.ts';
import { type Data, dataOf, type Facts } from './event-data.ts';
import { readFacts } from './event-facts.ts';
import { fromPublicId, toPublicId } from './event-id.ts';
import { type EventRow, findEventRow, findEventRows, findFirstSince, kindsOf, listEventRows } from './queries.ts';

export type PublicEvent = {
  id: string;
  type: PublicEventType;
  /** Milliseconds since 1970, when the log committed it. */
  at: number;
  actor: { kind: string; id: string | null };
  requestId: string;
  data: Data;
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
  store: Pick<EventStore, 'readAt' | 'readAll' | 'readStreamPages'>;
  readModels: Pick<ReadModels, 'position' | 'isQuarantined'>;
};

/** How many rows a statement looks at and how often, if few of them match. */
const scanSize = 2_000;
const maxScans = 5;
/** So many rows are read from the log at a time, and a page ends once its data has so many bytes. */
const chunkSize = 50;
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
  const isExact = [kinds, userId, teamId].filter((filter) => filter !== null).length <= 1 && teamId === null;
  const rows: EventRow[] = [];
  let place = from;
  for (let scan = 0; scan < maxScans; scan += 1) {
    const size = isExact ? limit : scan === 0 ? 2 * limit : scanSize;
    const range = { position: place.position, index: place.index, bound };
    const found = await listEventRows(db, projectId, { kinds, userId, teamId, until }, range, size);
    rows.push(...found.rows);
    if (found.scannedTo === null) return { rows, next: null };
    place = placeAfter(found.scannedTo);
    if (rows.length >= limit) break;
  }
  return { rows, next: place };
}

type Filled = { items: FeedPage['items']; next: FeedPlace | null };

/** Turns rows into events, until there are enough. `next`: null if all rows are in the page. */
async function fillPage(
  parts: FeedParts,
  projectId: string,
  filters: FeedFilters,
  { rows, from, limit }: { rows: readonly EventRow[]; from: FeedPlace; limit: number },
): Promise<Filled> {
  const items: { event: PublicEvent; after: FeedPlace }[] = [];
  let bytes = 0;
  for (let begin = 0; begin < rows.length; begin += chunkSize) {
    const chunk = rows.slice(begin, begin + chunkSize);
    const facts = await readFacts(parts, projectId, chunk);
    for (const [at, row] of chunk.entries()) {
      for (const one of eventsOf(row, facts[at] ?? null)) {
        if (!isWanted(one.event, filters) || isBefore(one.place, from)) continue;
        if (items.length === limit || bytes > maxBytes) return { items, next: one.place };
        items.push({ event: one.event, after: { ...one.place, nth: one.place.nth + 1 } });
        bytes += JSON.stringify(one.event.data).length;
      }
    }
  }
  return { items, next: null };
}

const isBefore = (place: FeedPlace, from: FeedPlace) =>
  place.position === from.position && place.index === from.index && place.nth < from.nth;

/** Rows match as a whole, so the events that they stand for are compared again. */
function isWanted({ type, data }: PublicEvent, { types, teamId }: FeedFilters): boolean {
  if (types && !types.includes(type)) return false;
  return teamId === null || data.team_id === teamId || (type.startsWith('team.') && data.id === teamId);
}

/** The public events that a row stands for, in order. Memberships end before their user, and come back after them. */
function eventsOf(row: EventRow, facts: Facts | null): { event: PublicEvent; place: FeedPlace }[] {
  const data = facts && dataOf(row.kind, facts);
  if (!data) return [];
  const common = { at: row.at, actor: { kind: row.actorKind, id: row.actorId }, requestId: row.requestId };
  const toEvent = (type: PublicEventType, of: Data, nth: number) => ({
    event: { id: toPublicId({ eventId: row.eventId, index: row.index, nth }), type, ...common, data: of },
    place: { position: row.position, index: row.index, nth },
  });
  if (!kindsWithMemberships.includes(row.kind)) return [toEvent(row.kind as PublicEventType, data, 0)];
  const members = facts.teamIds.map((team_id) => ({ team_id, user_id: row.userId }));
  if (row.kind === 'user.deleted') {
    return [
      ...members.map((member, nth) => toEvent('team_membership.deleted', member, nth)),
      toEvent('user.deleted', data, members.length),
    ];
  }
  return [
    toEvent('user.created', data, 0),
    ...members.map((member, nth) => toEvent('team_membership.created', member, nth + 1)),
  ];
}

/** An event by its ID; null if the project has none, or if it is not complete yet. */
export async function findPublicEvent(parts: FeedParts, projectId: string, id: string) {
  const origin = fromPublicId(id);
  const row = origin && (await findEventRow(parts.db, projectId, origin.eventId, origin.index));
  if (!row || row.position > feedBound(parts, projectId)) return null;
  const [facts = null] = await readFacts(parts, projectId, [row]);
  const found = eventsOf(row, facts).find(({ event }) => event.id === id);
  return found ? { event: found.event, after: { ...found.place, nth: found.place.nth + 1 } } : null;
}

/** Events by their IDs. Those that the project does not have, or that are not complete yet, are missing. */
export async function findPublicEvents(
  parts: FeedParts,
  projectId: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, PublicEvent>> {
  const origins = ids.flatMap((id) => fromPublicId(id) ?? []);
  const bound = feedBound(parts, projectId);
  const rows = (await findEventRows(parts.db, projectId, origins)).filter(({ position }) => position <= bound);
  const facts = await readFacts(parts, projectId, rows);
  const events = rows.flatMap((row, nth) => eventsOf(row, facts[nth] ?? null).map(({ event }) => event));
  return new Map(events.map((event) => [event.id, event]));
}
