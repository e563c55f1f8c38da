import type { Pool } from '@gatebook/runtime/postgres';
import type { FeedPlace } from '../events/feed.ts';
import { type At, type NewDelivery, newRows, sendAgain, toNewRows } from './deliveries.ts';
import { isDeletedEndpoint, webhooksChannel } from './delivery-tables.ts';
import { failedRows, failedValues, type MatchCount, type Replay, type WantedEvents } from './replay-matches.ts';

/** `sent`: messages with an attempt since the replay began. Times are in milliseconds since 1970. */
export type ReplayProgress = MatchCount & {
  id: string;
  endpointId: string;
  wanted: WantedEvents;
  status: 'running' | 'completed' | 'canceled';
  sent: number;
  delivered: number;
  failed: number;
  createdAt: number;
};

/** Tells the leading worker of a new replay. */
export const replaysChannel = 'gatebook_webhook_replays';

/** @returns false if the endpoint was deleted meanwhile */
export async function addReplay(pool: Pool, replay: Replay, { matched, isExact }: MatchCount): Promise<boolean> {
  const { id, projectId, endpointId, wanted, types, since, until, from, end } = replay;
  const { rows } = await pool.query(
    `with added as (
       insert into webhooks.replays (id, project_id, endpoint_id, wanted, types, since, until, position, index, nth,
         end_position, end_index, end_nth, matched, is_exact, created_at)
       select $1, $2, $3, $4, $5, to_timestamp($6::float8 / 1000), to_timestamp($7::float8 / 1000), $8, $9, $10, $11, $12,
         $13, $14, $15, now() where not ${isDeletedEndpoint('$3')} returning id)
     select pg_notify('${replaysChannel}', '') from added`,
    [
      ...[id, projectId, endpointId, wanted, types, since, until, from.position, from.index, from.nth],
      ...[end.position, end.index, end.nth, matched, isExact],
    ],
  );
  return rows.length > 0;
}

const millis = (column: string) => `round(extract(epoch from ${column}) * 1000)::float8`;
const isRunning = `r.canceled_at is null and r.finished_at is null and not ${isDeletedEndpoint('r.endpoint_id')}`;

/** Replays that have yet to go through their events, oldest first. */
export async function listRunningReplays(pool: Pool): Promise<Replay[]> {
  const { rows } = await pool.query(
    `select id, project_id as "projectId", endpoint_id as "endpointId", wanted, types, ${millis('since')} as since,
       ${millis('until')} as until, position::text, index, nth, end_position::text as "endPosition",
       end_index as "endIndex", end_nth as "endNth"
     from webhooks.replays r where ${isRunning} order by created_at, id`,
  );
  return rows.map(({ position, index, nth, endPosition, endIndex, endNth, ...replay }) => ({
    ...replay,
    from: { position: BigInt(position), index, nth },
    end: { position: BigInt(endPosition), index: endIndex, nth: endNth },
  }));
}

/** Moves a replay by a page of `count` events. What was not counted in advance is counted now. */
const moveReplay = ({ to, isEnd, count, at }: Record<'to' | 'isEnd' | 'count' | 'at', string>) => `
  (position, index, nth) = (select ${to}), added = r.added + ${count}, is_exact = r.is_exact or ${isEnd},
  matched = case when r.is_exact then r.matched when ${isEnd} then r.added + ${count}
    else greatest(r.matched, r.added + ${count}) end,
  finished_at = case when ${isEnd} then coalesce(${at}::timestamptz, now()) end`;

/**
 * Adds a page of a replay and moves it, both or none of them. `next`: null at its end.
 * @returns false if it was canceled or moved by another process, or if its endpoint is deleted
 */
export async function advanceReplay(
  pool: Pool,
  { id, from }: Pick<Replay, 'id' | 'from'>,
  deliveries: readonly NewDelivery[],
  next: FeedPlace | null,
  at: At,
): Promise<boolean> {
  const to = next ?? from;
  const move = { to: '$5::bigint, $6::int, $7::int', isEnd: '$8::boolean', count: '$11::int', at: '$9' };
  const { rows } = await pool.query<{ moved: number }>(
    `with moved as (
       update webhooks.replays r set ${moveReplay(move)}
       where r.id = $1 and (r.position, r.index, r.nth) = ($2::bigint, $3::int, $4::int) and ${isRunning}
       returning id, endpoint_id, project_id),
     added as (
       insert into webhooks.deliveries as d (id, project_id, endpoint_id, event_id, type, subject, position, index, nth,
         cursor, event_at, status, trigger, replay_id, next_attempt_at, created_at)
       select r.id, m.project_id, m.endpoint_id, r."eventId", r.type, r.subject, r.position, r.index, r.nth, r.cursor,
         r.event_at, 'pending', 'replay', m.id, coalesce($9::timestamptz, now()), coalesce($9::timestamptz, now())
       from moved m, ${newRows('$10')}
       on conflict (endpoint_id, event_id) do update set ${sendAgain('replay', 'excluded.next_attempt_at')},
         replay_id = excluded.replay_id
       where d.status <> 'pending'
       returning id),
     told as (select pg_notify('${webhooksChannel}', '') from added limit 1)
     select (select count(*)::int from moved) as moved, (select count(*) from told)`,
    [
      ...[id, from.position, from.index, from.nth, to.position, to.index, to.nth, next === null, at],
      ...[toNewRows(deliveries), deliveries.length],
    ],
  );
  return rows[0]?.moved === 1;
}

const failedPage = 2_000;

/**
 * Makes a page of failed messages pending again and moves the replay of `failed`, both or none of them.
 * @returns false at its end, and if it was canceled, or moved by another process
 */
export async function replayFailed(pool: Pool, replay: Replay, at: At): Promise<boolean> {
  const move = {
    ...{ to: 'edge.position, edge.index, edge.nth + 1', isEnd: `edge.looked < ${failedPage}` },
    ...{ count: 'edge.wanted', at: '$12' },
  };
  const { rows } = await pool.query<{ hasMore: boolean }>(
    `with looked as materialized (${failedRows(failedPage)}),
     edge as (
       select coalesce(max(position), $2::bigint) as position,
         coalesce((array_agg(index order by position desc, index desc, nth desc))[1], $3::int) as index,
         coalesce((array_agg(nth order by position desc, index desc, nth desc))[1], $4::int - 1) as nth,
         count(*)::int as looked, (count(*) filter (where "isWanted"))::int as wanted
       from looked),
     moved as (
       update webhooks.replays r set ${moveReplay(move)} from edge
       where r.id = $11 and (r.position, r.index, r.nth) = ($2::bigint, $3::int, $4::int) and ${isRunning}
       returning r.id),
     renewed as (
       update webhooks.deliveries d set ${sendAgain('replay', 'coalesce($12::timestamptz, now())')}, replay_id = moved.id
       from looked, moved where d.id = looked.id and looked."isWanted" and d.status = 'failed' returning d.id),
     told as (select pg_notify('${webhooksChannel}', '') from renewed limit 1)
     select edge.looked = ${failedPage} as "hasMore", (select count(*) from told) from edge, moved`,
    [...failedValues(replay), replay.id, at],
  );
  return rows[0]?.hasMore ?? false;
}

export async function findReplay(pool: Pool, projectId: string, id: string): Promise<ReplayProgress | null> {
  const { rows } = await pool.query<ReplayProgress>(
    `select r.id, r.endpoint_id as "endpointId", r.wanted, r.matched, r.is_exact as "isExact",
       ${millis('r.created_at')} as "createdAt", d.sent, d.delivered, d.failed,
       case when r.canceled_at is not null then 'canceled' when r.finished_at is null or d.pending > 0 then 'running'
         else 'completed' end as status
     from webhooks.replays r cross join lateral (
       select count(*) filter (where trigger <> 'replay')::int as sent,
         count(*) filter (where status <> 'pending' and last_status_code between 200 and 299)::int as delivered,
         count(*) filter (where status <> 'pending' and not coalesce(last_status_code, 0) between 200 and 299)::int as failed,
         count(*) filter (where status = 'pending')::int as pending
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
       update webhooks.deliveries d set lease = null, next_attempt_at = null, finished_at = coalesce(delivered_at, now()),
         replay_id = null, status = case
           when delivered_at is not null or last_status_code between 200 and 299 then 'delivered' else 'failed' end
       where id in (select id from unsent where attempt_count > 0))
     select from canceled`,
    [projectId, id],
  );
  return rowCount === 1;
}
