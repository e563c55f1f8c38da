import type { Pool } from '@gatebook/runtime/postgres';
import type { FeedPlace } from '../events/feed.ts';
import { sendAgain, type Trigger } from './deliveries.ts';
import { webhooksChannel } from './delivery-tables.ts';

/** Times are in milliseconds since 1970. `next`: when the next attempt is due; null if there is none. */
export type Delivery = {
  id: string;
  endpointId: string;
  eventId: string;
  type: string;
  cursor: string;
  status: 'pending' | 'delivered' | 'failed';
  attemptCount: number;
  nextAttemptAt: number | null;
  lastStatusCode: number | null;
  createdAt: number;
};

export type Attempt = {
  number: number;
  at: number;
  trigger: Trigger;
  statusCode: number | null;
  errorCode: string | null;
  durationMs: number;
  /** Encrypted; null if the receiver sent none, or if somebody it may be about was erased. */
  response: string | null;
  subjects: readonly string[];
};

const millis = (column: string) => `round(extract(epoch from ${column}) * 1000)::float8`;
const columns = `d.id, d.endpoint_id as "endpointId", d.event_id as "eventId", d.type, d.cursor, d.status,
  d.attempt_count as "attemptCount", ${millis('d.next_attempt_at')} as "nextAttemptAt",
  d.last_status_code as "lastStatusCode", ${millis('d.created_at')} as "createdAt"`;

/** `before`: only those before this delivery. */
export type DeliveryFilters = {
  status: Delivery['status'] | null;
  type: string | null;
  before: string | null;
  limit: number;
};

/** `next`: what the next page is before; null at the end. A page can have few deliveries and still a next one. */
export type DeliveryPage = { items: Delivery[]; next: string | null };

/** The most messages that a page looks at if few of them match. */
const maxLookedAt = 10_000;
const newestFirst = 'd.position desc, d.index desc, d.nth desc';
/** There are indexes of these, which are used only if the status is part of the statement. */
const statuses: Readonly<Record<string, string>> = { pending: `d.status = 'pending'`, failed: `d.status = 'failed'` };

/** Messages of an endpoint, in the order of their events, newest first. */
export async function listDeliveries(
  pool: Pool,
  projectId: string,
  endpointId: string,
  { status, type, before, limit }: DeliveryFilters,
): Promise<DeliveryPage> {
  const { rows } = await pool.query<Delivery & { matches: boolean; looked: number }>(
    `with looked as materialized (
       select d.*, ($3::text is null or d.status = $3) and ($4::text is null or d.type = $4) as matches,
         row_number() over (order by ${newestFirst})::int as looked
       from webhooks.deliveries d
       where d.project_id = $1 and d.endpoint_id = $2 and ${statuses[status ?? ''] ?? 'true'}
         and ($5::uuid is null or (d.position, d.index, d.nth) < (
           select b.position, b.index, b.nth from webhooks.deliveries b where b.id = $5 and b.endpoint_id = $2))
       order by ${newestFirst} limit ${maxLookedAt})
     (select ${columns}, matches, looked from looked d where matches order by looked limit $6)
     union all (select ${columns}, false, looked from looked d where looked = ${maxLookedAt})
     order by looked, matches desc`,
    [projectId, endpointId, status, type, before, limit + 1],
  );
  const found = rows.filter(({ matches }) => matches);
  const items = found.slice(0, limit);
  if (found.length > limit) return { items, next: items.at(-1)?.id ?? null };
  return { items, next: rows.find(({ looked }) => looked === maxLookedAt)?.id ?? null };
}

export async function findDelivery(pool: Pool, projectId: string, id: string): Promise<Delivery | null> {
  const { rows } = await pool.query<Delivery>(
    `select ${columns} from webhooks.deliveries d where d.project_id = $1 and d.id = $2`,
    [projectId, id],
  );
  return rows[0] ?? null;
}

const maxAttempts = 200;

/** The newest attempts of a delivery, oldest first. */
export async function listAttempts(pool: Pool, projectId: string, deliveryId: string): Promise<Attempt[]> {
  const { rows } = await pool.query<Attempt>(
    `select number, ${millis('at')} as at, trigger, status_code as "statusCode", error_code as "errorCode",
       duration_ms as "durationMs", response, subjects
     from webhooks.attempts where project_id = $1 and delivery_id = $2 order by number desc limit ${maxAttempts}`,
    [projectId, deliveryId],
  );
  return rows.reverse();
}

/** Sends a message again now, whatever its status. @returns false if the project has none of this ID */
export async function resendDelivery(pool: Pool, projectId: string, id: string): Promise<boolean> {
  const { rows } = await pool.query(
    `with renewed as (
       update webhooks.deliveries d set ${sendAgain('manual', 'now()')}
       where project_id = $1 and id = $2 returning id)
     select pg_notify('${webhooksChannel}', '') from renewed`,
    [projectId, id],
  );
  return rows.length === 1;
}

/**
 * How an endpoint does. Times are in milliseconds since 1970. The rates are of the attempts of the last 24 hours, up to
 * the latest 10,000.
 */
export type DeliveryState = {
  place: FeedPlace;
  /** Among the latest 10,000 messages. */
  delivered: number;
  failed: number;
  pending: number;
  failingSince: number | null;
  lastSuccessAt: number | null;
  lastFailureAt: number | null;
  successRate: number | null;
  p95DurationMs: number | null;
};

type StoredState = Omit<DeliveryState, 'place'> & {
  endpointId: string;
  position: string;
  index: number;
  nth: number;
};

/** The latest messages, and the latest attempts, of an endpoint that are counted. */
const maxCounted = 10_000;

/** By endpoint ID; endpoints that the worker has not begun with are missing. */
export async function deliveryState(
  pool: Pool,
  projectId: string,
  endpointIds: readonly string[],
): Promise<ReadonlyMap<string, DeliveryState>> {
  const { rows } = await pool.query<StoredState>(
    `select e.endpoint_id as "endpointId", e.position::text, e.index, e.nth, ${millis('e.failing_since')} as "failingSince",
       ${millis('e.last_success_at')} as "lastSuccessAt", c.*, a.*
     from webhooks.endpoints e
     cross join lateral (
       select count(*) filter (where status = 'delivered')::int as delivered,
         count(*) filter (where status = 'failed')::int as failed,
         count(*) filter (where status = 'pending')::int as pending
       from (select status from webhooks.deliveries d where d.endpoint_id = e.endpoint_id
         order by d.position desc, d.index desc, d.nth desc limit ${maxCounted}) latest) c
     cross join lateral (
       select avg((coalesce(status_code, 0) between 200 and 299)::int)::float8 as "successRate",
         round(percentile_cont(0.95) within group (order by duration_ms)) as "p95DurationMs",
         ${millis('max(at) filter (where not coalesce(status_code, 0) between 200 and 299)')} as "lastFailureAt"
       from (select at, status_code, duration_ms from webhooks.attempts
         where endpoint_id = e.endpoint_id and at > now() - interval '1 day' order by at desc limit ${maxCounted}) latest) a
     where e.project_id = $1 and e.endpoint_id = any($2)`,
    [projectId, endpointIds],
  );
  return new Map(
    rows.map(({ endpointId, position, index, nth, ...rest }) => [
      endpointId,
      { place: { position: BigInt(position), index, nth }, ...rest },
    ]),
  );
}
