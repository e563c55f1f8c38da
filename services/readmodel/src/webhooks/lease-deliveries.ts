import type { Pool } from '@gatebook/runtime/postgres';
import type { At, Ordering, Trigger } from './deliveries.ts';

export type LeasedDelivery = {
  id: string;
  projectId: string;
  endpointId: string;
  eventId: string;
  subject: string;
  position: bigint;
  cursor: string;
  /** Failed attempts before this one, since the delivery was scheduled from the beginning. */
  step: number;
  trigger: Trigger;
};

/** A place among the messages of an endpoint that are due; `at` is a time of the database. */
export type DuePlace = { at: string; position: string; index: number; nth: number };

/**
 * What is leased: messages that are due after the place `from`, and the next ones of these `subjects`. A statement
 * looks at a few messages only, so one can lease none although there are others that it could lease.
 */
export type DueRange = { from: DuePlace | null; subjects: readonly string[] };

/**
 * `next`: where to look next. `isEnd`: all that are due have been looked at. `hasBlocked`: some wait for an earlier
 * message of their subject. `isLimited`: the receiver gets no more for now. `now`: of the database, in milliseconds.
 */
export type LeasedDeliveries = {
  now: number;
  deliveries: LeasedDelivery[];
  next: DuePlace | null;
  isEnd: boolean;
  hasBlocked: boolean;
  isLimited: boolean;
};

/** Longer than an attempt takes. A worker that dies, or sleeps for longer, loses its leases to the others. */
const leaseMs = 60_000;
/** How many are looked at with `subject`: many of them can wait for the same one. */
const windowSize = 200;
/** Messages become visible so late after the time at which they are due. */
const settleMs = 2_000;

/** The commit need not reach the disk before the answer: after a crash of the database, what was lost is sent again. */
export const lazily = `set_config('synchronous_commit', 'off', true)`;

const dueOrder = (row: string) => `${row}.next_attempt_at, ${row}.position, ${row}.index, ${row}.nth`;

const isDue = `d.next_attempt_at <= (select now from endpoint) and (select room from endpoint) > 0
  and (${dueOrder('d')}) > (coalesce($6::timestamptz, '-infinity'), $7::bigint, $8::int, $9::int)`;
const looked = (limit: string) => `select * from webhooks.deliveries d
  where d.endpoint_id = $1 and d.status = 'pending' and ${isDue} order by ${dueOrder('d')} limit ${limit}`;

/**
 * Connections plan statements while there are no messages. So each lookup can use one index only: also the order by
 * `subject` is there to name the index.
 */
const firstFrom = (subject: string) => `select e.* from webhooks.deliveries e
  where e.endpoint_id = $1 and e.status = 'pending' and (e.subject, e.position, e.index, e.nth) >= (${subject}, 0, 0, 0)
  order by e.subject, e.position, e.index, e.nth limit 1`;

/** Which messages are looked at, and which of them the order allows. */
const orders: Readonly<Record<Ordering, { looked: string; allowed: string }>> = {
  none: { looked: looked('$2::int'), allowed: 'true' },
  strict: {
    looked: `select * from (select e.* from webhooks.deliveries e where e.endpoint_id = $1 and e.status = 'pending'
      order by e.position, e.index, e.nth limit 1) d where ${isDue}`,
    allowed: 'true',
  },
  subject: {
    looked: looked(String(windowSize)),
    // The first one from this subject on.
    allowed: `d.id = (select id from (${firstFrom('d.subject')}) first)`,
  },
};

/**
 * The limit lets through what it allows in one second at once. Rows are locked and updated by their IDs; a condition on
 * their status would make an index of all pending messages look cheaper.
 */
const leaseSql = (ordering: Ordering) => `
  with clock as materialized (select coalesce($5::timestamptz, now()) as now, ${lazily}),
  endpoint as materialized (
    select e.endpoint_id, clock.now, greatest(e.limited_until, clock.now) as used_until,
      case when e.paused_until > clock.now then 0 when $3::float8 is null then $2::int
        else greatest(0, least($2::int, floor((greatest(1, 1 / $3::float8) -
          extract(epoch from greatest(e.limited_until, clock.now) - clock.now)::float8) * $3::float8 + 0.001)::int))
      end as room
    from webhooks.endpoints e, clock where e.endpoint_id = $1 and e.deleted_at is null for update of e skip locked),
  looked as materialized (
    select d.id, d.subject, ${dueOrder('d')} from (${orders[ordering].looked}) d),
  -- In order, so that the condition is checked until there are enough.
  ready as materialized (
    select d.* from (select * from looked l order by ${dueOrder('l')} offset 0) d
    where ${orders[ordering].allowed} order by ${dueOrder('d')} limit (select room + 1 from endpoint)),
  following as (
    select n.id, n.subject, ${dueOrder('n')} from unnest($10::text[]) s (subject)
      cross join lateral (${firstFrom('s.subject')}) n
    where ${ordering === 'subject'} and n.subject = s.subject and n.next_attempt_at <= (select now from endpoint)),
  allowed as materialized (
    select * from ready union all select * from following where id not in (select id from looked)),
  taken as materialized (
    select a.* from allowed a order by ${dueOrder('a')} limit (select room from endpoint)),
  locked as materialized (
    select d.id from webhooks.deliveries d, endpoint
    where d.id = any(array(select id from taken)) and d.finished_at is null and d.next_attempt_at <= endpoint.now
    for update of d skip locked),
  leased as (
    update webhooks.deliveries d set lease = $4, next_attempt_at = endpoint.now + interval '${leaseMs} ms'
    from endpoint where d.id = any(array(select id from locked)) returning d.*),
  limited as (
    update webhooks.endpoints e set limited_until = endpoint.used_until + taken.count / $3::float8 * interval '1 second'
    from endpoint, (select count(*) from leased) taken
    where e.endpoint_id = endpoint.endpoint_id and $3::float8 is not null and taken.count > 0),
  counted as (
    select (select count(*)::int from looked) as looked,
      (select count(*) from allowed) > (select count(*) from taken) as "isFull"),
  -- What was looked at last; if not all could be taken, what was taken last.
  edge as (
    select ${dueOrder('l')} from looked l, counted
    where not "isFull" or l.id in (select id from taken)
    order by l.next_attempt_at desc, l.position desc, l.index desc, l.nth desc limit 1),
  blocked as (
    select exists (select from looked l, edge
      where (${dueOrder('l')}) <= (${dueOrder('edge')}) and l.id not in (select id from taken)) as "hasBlocked"),
  next as (
    select case when is_last then least(edge.next_attempt_at, endpoint.now - interval '${settleMs} ms')
        else edge.next_attempt_at end::text as at,
      case when is_recent then 0 else edge.position end::text as position,
      case when is_recent then 0 else edge.index end as index, case when is_recent then 0 else edge.nth end as nth
    from edge, endpoint, counted
      cross join lateral (select not "isFull" and looked < ${windowSize} as is_last) l
      cross join lateral (select is_last and edge.next_attempt_at > endpoint.now - interval '${settleMs} ms' as is_recent) r)
  select extract(epoch from endpoint.now)::float8 * 1000 as now, (select row_to_json(next) from next) as next, looked < ${windowSize} and not "isFull" as "isEnd",
    "hasBlocked", endpoint.room < $2::int as "isLimited", l.*
  from endpoint cross join counted cross join blocked left join lateral (
    select id, project_id as "projectId", endpoint_id as "endpointId", event_id as "eventId", subject, position::text,
      cursor, step, trigger, index, nth
    from leased) l on true
  order by l.position::bigint, l.index, l.nth`;

type Row = Omit<LeasedDeliveries, 'deliveries'> & Omit<LeasedDelivery, 'position' | 'id'>;
type StoredRow = Row & { id: string | null; position: string };

/**
 * At most `limit` messages that are due and that the order allows. They are this worker's until the lease ends.
 * @returns null if another process is leasing messages of this endpoint
 */
export async function leaseDeliveries(
  pool: Pool,
  { endpointId, ordering, perSecond }: { endpointId: string; ordering: Ordering; perSecond: number | null },
  { from, subjects }: DueRange,
  { limit, lease, at }: { limit: number; lease: string; at: At },
): Promise<LeasedDeliveries | null> {
  const place = from ?? { at: null, position: '0', index: 0, nth: 0 };
  const { rows } = await pool.query<StoredRow>({
    name: `lease-webhooks-${ordering}`,
    text: leaseSql(ordering),
    values: [endpointId, limit, perSecond, lease, at, place.at, place.position, place.index, place.nth, subjects],
  });
  const [first] = rows;
  if (!first) return null;
  const { now, next, isEnd, hasBlocked, isLimited } = first;
  return { now, deliveries: rows.flatMap(toDelivery), next: next ?? from, isEnd, hasBlocked, isLimited };
}

function toDelivery({ id, projectId, endpointId, eventId, subject, position, cursor, step, trigger }: StoredRow) {
  if (id === null) return [];
  return [{ id, projectId, endpointId, eventId, subject, position: BigInt(position), cursor, step, trigger }];
}
