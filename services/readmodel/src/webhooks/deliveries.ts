import type { Pool } from '@gatebook/runtime/postgres';
import type { FeedPlace } from '../events/feed.ts';
import { webhooksChannel } from './delivery-tables.ts';

/** Failed attempts do not hold back other messages with `none`, those of the same user or team with `subject`. */
export type Ordering = 'subject' | 'strict' | 'none';
export type Trigger = 'scheduled' | 'manual' | 'replay';

/** A message of an event to an endpoint, before its first attempt. */
export type NewDelivery = {
  id: string;
  eventId: string;
  type: string;
  subject: string;
  place: FeedPlace;
  cursor: string;
  /** When the event happened, in milliseconds since 1970. */
  eventAt: number;
};

/** null: no clock but the database's, which all processes share. Tests pass times (ISO 8601). */
export type At = string | null;

type StoredPlace = { position: string; index: number; nth: number };
const toPlace = ({ position, index, nth }: StoredPlace): FeedPlace => ({ position: BigInt(position), index, nth });

/** Where an endpoint is in the feed. The first call places it at `start`. */
export async function findOrPlaceEndpoint(
  pool: Pool,
  { projectId, endpointId, start }: { projectId: string; endpointId: string; start: FeedPlace },
): Promise<FeedPlace> {
  const { rows } = await pool.query<StoredPlace>(
    `with placed as (
       insert into webhooks.endpoints (endpoint_id, project_id, position, index, nth) values ($1, $2, $3, $4, $5)
       on conflict do nothing returning position, index, nth)
     select position::text, index, nth from placed
     union all select position::text, index, nth from webhooks.endpoints where endpoint_id = $1 limit 1`,
    [endpointId, projectId, start.position, start.index, start.nth],
  );
  return rows[0] ? toPlace(rows[0]) : start;
}

/** Columns of a message that is sent again from the beginning. What was accepted once stays accepted if that fails. */
export const sendAgain = (trigger: Trigger, at: string) => `status = 'pending', step = 0, trigger = '${trigger}',
  next_attempt_at = ${at}, lease = null, finished_at = null,
  delivered_at = case when d.status = 'delivered' then d.finished_at else d.delivered_at end`;

type Taken = { projectId: string; endpointId: string; from: FeedPlace; next: FeedPlace; at: At };

/** The new rows that `parameter` contains; see `toNewRows`. */
export const newRows = (parameter: string) =>
  `(select *, to_timestamp("eventAt" / 1000) as event_at
    from json_to_recordset(${parameter}::json) as r(id uuid, "eventId" text, type text, subject text, position bigint,
      index int, nth int, cursor text, "eventAt" float8)) r`;
export const toNewRows = (deliveries: readonly NewDelivery[]): string =>
  JSON.stringify(deliveries.map(({ place, ...rest }) => ({ ...rest, ...place, position: String(place.position) })));

/**
 * Adds the messages of the events between two places and moves the endpoint, both or none of them.
 * @returns false if another process has moved it
 */
export async function addDeliveries(
  pool: Pool,
  { projectId, endpointId, from, next, at }: Taken,
  deliveries: readonly NewDelivery[],
): Promise<boolean> {
  const { rows } = await pool.query<{ moved: number }>(
    `with moved as (
       update webhooks.endpoints set position = $6, index = $7, nth = $8
       where endpoint_id = $1 and (position, index, nth) = ($3::bigint, $4::int, $5::int) and deleted_at is null
       returning endpoint_id),
     added as (
       insert into webhooks.deliveries (id, project_id, endpoint_id, event_id, type, subject, position, index, nth, cursor,
         event_at, status, next_attempt_at, created_at)
       select r.id, $2, moved.endpoint_id, r."eventId", r.type, r.subject, r.position, r.index, r.nth, r.cursor, r.event_at,
         'pending', coalesce($9::timestamptz, now()), coalesce($9::timestamptz, now())
       from moved, ${newRows('$10')}
       on conflict (endpoint_id, event_id) do nothing returning id),
     told as (select pg_notify('${webhooksChannel}', '') from added limit 1)
     select (select count(*)::int from moved) as moved, (select count(*) from told)`,
    [
      ...[endpointId, projectId, from.position, from.index, from.nth, next.position, next.index, next.nth, at],
      toNewRows(deliveries),
    ],
  );
  return rows[0]?.moved === 1;
}

/** Ends leases, so that other workers can send at once. */
export async function releaseDeliveries(pool: Pool, leases: readonly string[], at: At): Promise<void> {
  await pool.query(
    `with released as (
       update webhooks.deliveries set lease = null, next_attempt_at = coalesce($2::timestamptz, now())
       where lease = any($1) returning id)
     select pg_notify('${webhooksChannel}', '') from released limit 1`,
    [leases, at],
  );
}

/** Tries these later, without counting an attempt: their events cannot be read now. */
export async function postponeDelivery(
  pool: Pool,
  { id, lease, laterMs, at }: { id: string; lease: string; laterMs: number; at: At },
): Promise<void> {
  await pool.query(
    `update webhooks.deliveries
     set lease = null, next_attempt_at = coalesce($4::timestamptz, now()) + $3 * interval '1 ms'
     where id = $1 and lease = $2`,
    [id, lease, laterMs, at],
  );
}

/** `nextMs`: how long until something is due that is not due yet; null if there is nothing. */
export type PendingEndpoint = { endpointId: string; projectId: string; isDue: boolean; nextMs: number | null };

/** Endpoints with messages to send. Looks at a few rows per endpoint. */
export async function listPendingEndpoints(pool: Pool, at: At): Promise<PendingEndpoint[]> {
  const { rows } = await pool.query<PendingEndpoint>({
    name: 'list-pending-webhooks',
    text: `with recursive clock as (select coalesce($1::timestamptz, now()) as now),
      pending as (
        (select endpoint_id, project_id from webhooks.deliveries where status = 'pending' order by endpoint_id limit 1)
        union all
        select n.endpoint_id, n.project_id from pending p cross join lateral (
          select endpoint_id, project_id from webhooks.deliveries d
          where d.status = 'pending' and d.endpoint_id > p.endpoint_id order by d.endpoint_id limit 1) n)
      select p.endpoint_id as "endpointId", p.project_id as "projectId",
        exists (select from webhooks.deliveries d where d.endpoint_id = p.endpoint_id and d.status = 'pending'
          and d.next_attempt_at <= clock.now) as "isDue",
        extract(epoch from least(
          (select min(d.next_attempt_at) from webhooks.deliveries d where d.endpoint_id = p.endpoint_id
             and d.status = 'pending' and d.next_attempt_at > clock.now),
          (select case when e.paused_until > clock.now then e.paused_until
               when e.limited_until > clock.now then e.limited_until end
             from webhooks.endpoints e where e.endpoint_id = p.endpoint_id)) - clock.now)::float8 * 1000 as "nextMs"
      from pending p, clock`,
    values: [at],
  });
  return rows;
}

const maxCounted = 10_000;

/**
 * How many messages of these endpoints are due, being sent, or wait for another attempt; at most 10,000 of each.
 * `oldestMs`: how long the first one of an endpoint that works has been due.
 */
export async function countPending(
  pool: Pool,
  endpointIds: readonly string[],
): Promise<{ waiting: number; active: number; delayed: number; oldestMs: number }> {
  const some = (condition: string) => `(select count(*)::int from (select from webhooks.deliveries
    where status = 'pending' and endpoint_id = any($1) and ${condition} limit ${maxCounted}) counted)`;
  const { rows } = await pool.query<{ waiting: number; active: number; delayed: number; oldestMs: number | null }>(
    `select ${some('next_attempt_at <= now()')} as waiting,
       ${some('lease is not null and next_attempt_at > now()')} as active,
       ${some('lease is null and next_attempt_at > now()')} as delayed,
       (select max(extract(epoch from now() - due.first))::float8 * 1000
        from webhooks.endpoints e cross join lateral (
          select min(next_attempt_at) as first from webhooks.deliveries d
          where d.endpoint_id = e.endpoint_id and d.status = 'pending' and d.next_attempt_at <= now()) due
        where e.endpoint_id = any($1) and e.failing_since is null) as "oldestMs"`,
    [endpointIds],
  );
  const { oldestMs = null, ...counts } = rows[0] ?? { waiting: 0, active: 0, delayed: 0 };
  return { ...counts, oldestMs: oldestMs ?? 0 };
}
