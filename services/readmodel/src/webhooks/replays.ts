import { typesNamed } from '@gatebook/domain/public-events/type-names';
import type { Pool } from '@gatebook/runtime/postgres';
import { everyPublicEvent, type FeedPage, type FeedParts, type FeedPlace, readFeed } from '../events/feed.ts';
import type { At, NewDelivery } from './deliveries.ts';
import { webhooksChannel } from './delivery-tables.ts';

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

/** `sent`: messages with an attempt since the replay began. Times are in milliseconds since 1970. */
export type ReplayProgress = {
  id: string;
  endpointId: string;
  wanted: WantedEvents;
  status: 'running' | 'completed' | 'canceled';
  matched: number;
  sent: number;
  delivered: number;
  failed: number;
  createdAt: number;
};

/** Tells the leading worker of a new replay. */
export const replaysChannel = 'gatebook_webhook_replays';

const pageSize = 500;
const isAfter = (one: FeedPlace, other: FeedPlace) =>
  one.position !== other.position
    ? one.position > other.position
    : one.index !== other.index
      ? one.index > other.index
      : one.nth > other.nth;

/**
 * The events of the next page that a replay sends. `next`: null at its end. `hasMore`: false at the end of the feed,
 * which comes before that of the replay while read models are built or the project is quarantined.
 */
export async function matchReplay(
  parts: FeedParts & { pool: Pool },
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
function isWanted(wanted: WantedEvents, status: string | undefined): boolean {
  if (status === 'pending') return false;
  if (wanted === 'failed') return status === 'failed';
  return wanted === 'all' || status !== 'delivered';
}

/** How many events a replay would send now. */
export async function countMatches(parts: FeedParts & { pool: Pool }, replay: Replay): Promise<number> {
  let count = 0;
  for (let from: FeedPlace | null = replay.from; from; ) {
    const page = await matchReplay(parts, { ...replay, from });
    count += page.items.length;
    from = page.hasMore ? page.next : null;
  }
  return count;
}

export async function addReplay(pool: Pool, replay: Replay, matched: number): Promise<void> {
  const { id, projectId, endpointId, wanted, types, since, until, from, end } = replay;
  await pool.query(
    `with added as (
       insert into webhooks.replays (id, project_id, endpoint_id, wanted, types, since, until, position, index, nth,
         end_position, end_index, end_nth, matched, created_at)
       values ($1, $2, $3, $4, $5, to_timestamp($6::float8 / 1000), to_timestamp($7::float8 / 1000), $8, $9, $10, $11, $12,
         $13, $14, now()) returning id)
     select pg_notify('${replaysChannel}', '') from added`,
    [
      ...[id, projectId, endpointId, wanted, types, since, until, from.position, from.index, from.nth],
      ...[end.position, end.index, end.nth, matched],
    ],
  );
}

const millis = (column: string) => `round(extract(epoch from ${column}) * 1000)::float8`;

/** Replays that have yet to go through their events, oldest first. */
export async function listRunningReplays(pool: Pool): Promise<Replay[]> {
  const { rows } = await pool.query(
    `select id, project_id as "projectId", endpoint_id as "endpointId", wanted, types, ${millis('since')} as since,
       ${millis('until')} as until, position::text, index, nth, end_position::text as "endPosition",
       end_index as "endIndex", end_nth as "endNth"
     from webhooks.replays where finished_at is null and canceled_at is null order by created_at, id`,
  );
  return rows.map(({ position, index, nth, endPosition, endIndex, endNth, ...replay }) => ({
    ...replay,
    from: { position: BigInt(position), index, nth },
    end: { position: BigInt(endPosition), index: endIndex, nth: endNth },
  }));
}

/**
 * Adds a page of a replay and moves it, both or none of them. `next`: null at its end.
 * @returns false if it was canceled, or moved by another process
 */
export async function advanceReplay(
  pool: Pool,
  { id, from }: Pick<Replay, 'id' | 'from'>,
  deliveries: readonly NewDelivery[],
  next: FeedPlace | null,
  at: At,
): Promise<boolean> {
  const to = next ?? from;
  const { rows } = await pool.query<{ moved: number }>(
    `with moved as (
       update webhooks.replays set position = $5, index = $6, nth = $7,
         finished_at = case when $8 then coalesce($9::timestamptz, now()) end
       where id = $1 and (position, index, nth) = ($2::bigint, $3::int, $4::int) and canceled_at is null
         and finished_at is null
       returning id, endpoint_id, project_id),
     added as (
       insert into webhooks.deliveries as d (id, project_id, endpoint_id, event_id, type, subject, position, index, nth,
         cursor, status, trigger, replay_id, next_attempt_at, created_at)
       select r.id, m.project_id, m.endpoint_id, r."eventId", r.type, r.subject, r.position, r.index, r.nth, r.cursor,
         'pending', 'replay', m.id, coalesce($9::timestamptz, now()), coalesce($9::timestamptz, now())
       from moved m, json_to_recordset($10::json) as r(id uuid, "eventId" text, type text, subject text, position bigint,
         index int, nth int, cursor text)
       on conflict (endpoint_id, event_id) do update set status = 'pending', step = 0, trigger = 'replay',
         replay_id = excluded.replay_id, next_attempt_at = excluded.next_attempt_at, lease = null, finished_at = null
       where d.status <> 'pending'
       returning id),
     told as (select pg_notify('${webhooksChannel}', '') from added limit 1)
     select (select count(*)::int from moved) as moved, (select count(*) from told)`,
    [
      ...[id, from.position, from.index, from.nth, to.position, to.index, to.nth, next === null, at],
      JSON.stringify(deliveries.map(({ place, ...rest }) => ({ ...rest, ...place, position: String(place.position) }))),
    ],
  );
  return rows[0]?.moved === 1;
}

export async function findReplay(pool: Pool, projectId: string, id: string): Promise<ReplayProgress | null> {
  const { rows } = await pool.query<ReplayProgress>(
    `select r.id, r.endpoint_id as "endpointId", r.wanted, r.matched, ${millis('r.created_at')} as "createdAt", d.sent,
       d.delivered, d.failed,
       case when r.canceled_at is not null then 'canceled' when r.finished_at is null or d.pending > 0 then 'running'
         else 'completed' end as status
     from webhooks.replays r cross join lateral (
       select count(*) filter (where trigger <> 'replay')::int as sent,
         count(*) filter (where status = 'delivered')::int as delivered,
         count(*) filter (where status = 'failed')::int as failed, count(*) filter (where status = 'pending')::int as pending
       from webhooks.deliveries where replay_id = r.id) d
     where r.project_id = $1 and r.id = $2`,
    [projectId, id],
  );
  return rows[0] ?? null;
}

/** Stops a replay. Its messages without an attempt are as they were before. @returns false if there is none */
export async function cancelReplay(pool: Pool, projectId: string, id: string): Promise<boolean> {
  const { rowCount } = await pool.query(
    `with canceled as (
       update webhooks.replays set canceled_at = coalesce(canceled_at, case when finished_at is null or exists (
         select from webhooks.deliveries where replay_id = $2 and status = 'pending') then now() end)
       where project_id = $1 and id = $2 returning id),
     unsent as (
       select d.id, attempt_count from webhooks.deliveries d, canceled
       where d.replay_id = canceled.id and d.status = 'pending' and d.trigger = 'replay' for update of d),
     removed as (delete from webhooks.deliveries where id in (select id from unsent where attempt_count = 0)),
     restored as (
       update webhooks.deliveries d set lease = null, next_attempt_at = null, finished_at = now(), replay_id = null,
         status = case when last_status_code between 200 and 299 then 'delivered' else 'failed' end
       where id in (select id from unsent where attempt_count > 0))
     select from canceled`,
    [projectId, id],
  );
  return rowCount === 1;
}
