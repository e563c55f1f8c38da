import { typesNamed } from '@gatebook/domain/public-events/type-names';
import type { Pool } from '@gatebook/runtime/postgres';
import { everyPublicEvent, type FeedPage, type FeedParts, type FeedPlace, readFeed } from '../events/feed.ts';

/** `failed`: messages of which no attempt follows. `missing`: events that the receiver has never accepted. */
export type WantedEvents = 'failed' | 'missing' | 'all';

/** Sends events from `from` up to `end` again. Times are in milliseconds since 1970; `types` can have wildcards. */
export type Replay = {
  id: string;
  projectId: string;
  endpointId: string;
  wanted: WantedEvents;
  types: readonly string[] | null;
  since: number | null;
  until: number | null;
  from: FeedPlace;
  end: FeedPlace;
};

/** `isExact`: whether these are all; otherwise there can be more. */
export type MatchCount = { matched: number; isExact: boolean };

type MatchParts = FeedParts & { pool: Pool };

const pageSize = 500;
const isAfter = (one: FeedPlace, other: FeedPlace) =>
  one.position !== other.position
    ? one.position > other.position
    : one.index !== other.index
      ? one.index > other.index
      : one.nth > other.nth;

/**
 * The events of the next page that a replay of `missing` or `all` sends. `next`: null at its end. `hasMore`: false at
 * the end of the feed, which comes before that of the replay while read models are built or the project is quarantined.
 */
export async function matchReplay(
  parts: MatchParts,
  { projectId, endpointId, wanted, types, since, until, from, end }: Replay,
): Promise<{ items: FeedPage['items']; next: FeedPlace | null; hasMore: boolean }> {
  const filters = { ...everyPublicEvent, types: types && typesNamed(types), since, until };
  const page = await readFeed(parts, projectId, filters, { from, limit: pageSize });
  const inside = page.items.filter(({ after }) => !isAfter(after, end));
  const { rows } = await parts.pool.query<{ eventId: string; status: string }>(
    'select event_id as "eventId", status from webhooks.deliveries where endpoint_id = $1 and event_id = any($2)',
    [endpointId, inside.map(({ event }) => event.id)],
  );
  const statuses = new Map(rows.map(({ eventId, status }) => [eventId, status]));
  const items = inside.filter(({ event }) => isWanted(wanted, statuses.get(event.id)));
  return { items, next: isAfter(end, page.next) ? page.next : null, hasMore: page.hasMore };
}

/** Pending messages are sent anyway. */
const isWanted = (wanted: WantedEvents, status: string | undefined) =>
  status !== 'pending' && (wanted === 'all' || status !== 'delivered');

/** How many failed messages a request looks at. */
const maxLookedAt = 100_000;

/** How many events a replay would send now. Looks for as long as `budgetMs`, and at one page of events at least. */
export async function countMatches(parts: MatchParts, replay: Replay, budgetMs: number): Promise<MatchCount> {
  if (replay.wanted === 'failed') return countFailed(parts.pool, replay);
  const endsAt = performance.now() + budgetMs;
  let matched = 0;
  for (let from: FeedPlace | null = replay.from; from; ) {
    const page = await matchReplay(parts, { ...replay, from });
    matched += page.items.length;
    if (!page.hasMore) break;
    from = page.next;
    if (from && performance.now() >= endsAt) return { matched, isExact: false };
  }
  return { matched, isExact: true };
}

async function countFailed(pool: Pool, replay: Replay): Promise<MatchCount> {
  const { rows } = await pool.query<{ matched: number; looked: number }>(
    `select count(*) filter (where "isWanted")::int as matched, count(*)::int as looked
     from (${failedRows(maxLookedAt)}) found`,
    failedValues(replay),
  );
  const { matched = 0, looked = 0 } = rows[0] ?? {};
  return { matched, isExact: looked < maxLookedAt };
}

/** The next failed messages of a replay, and whether it wants them. Needs `failedValues` as the first parameters. */
export const failedRows = (limit: number) => `
  select d.id, d.position, d.index, d.nth, ($8::text[] is null or d.type = any($8))
    and ($9::float8 is null or coalesce(d.event_at, d.created_at) >= to_timestamp($9 / 1000))
    and ($10::float8 is null or coalesce(d.event_at, d.created_at) < to_timestamp($10 / 1000)) as "isWanted"
  from webhooks.deliveries d
  where d.endpoint_id = $1 and d.status = 'failed' and (d.position, d.index, d.nth) >= ($2::bigint, $3::int, $4::int)
    and (d.position, d.index, d.nth) < ($5::bigint, $6::int, $7::int)
  order by d.position, d.index, d.nth limit ${limit}`;

export const failedValues = ({ endpointId, from, end, types, since, until }: Replay): unknown[] => [
  ...[endpointId, from.position, from.index, from.nth, end.position, end.index, end.nth],
  ...[types && typesNamed(types), since, until],
];
