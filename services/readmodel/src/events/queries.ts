import {
  kindsWithKeyOwner,
  kindsWithMemberships,
  type PublicEventKind,
  type PublicEventType,
  publicEventKinds,
  typesOfKind,
} from '@gatebook/domain/public-events/types';
import { defineQuery, ofFoundRow, type ProjectQuery, type ReadDb } from '../read-db.ts';

/** A public event without its data. */
export type EventRow = {
  position: bigint;
  /** Among the public events of the same event of the log. */
  index: number;
  /** Position as of which its data is shown. */
  asOf: bigint;
  kind: PublicEventKind;
  eventId: string;
  userId: string | null;
  teamId: string | null;
  /** Milliseconds since 1970. */
  at: number;
  actorKind: string;
  actorId: string | null;
  requestId: string;
};
type StoredRow = Omit<EventRow, 'position' | 'asOf'> & { position: string; asOf: string };

/** SQL: the row says who owns its API key from then on. */
const namesKeyOwner = (row: string) => `${row}.kind in (${kindsWithKeyOwner.map((kind) => `'${kind}'`).join(', ')})`;

/** null matches every value. `until`: milliseconds since 1970, exclusive. */
export type EventRowFilters = {
  kinds: readonly PublicEventKind[] | null;
  userId: string | null;
  teamId: string | null;
  until: number | null;
};
/** From the row at this place on, up to the position `bound`. */
export type EventRange = { position: bigint; index: number; bound: bigint };
/** `scannedTo`: all rows up to this one have been looked at; null if there are no others up to the bound. */
export type EventRows = { rows: EventRow[]; scannedTo: Pick<EventRow, 'position' | 'index'> | null };

/** SQL: whom an event is about, or who owns its API key. */
const ownerOf = (schema: string, row: string, column: 'user_id' | 'team_id') =>
  `case when ${row}.api_key_id is null then ${row}.${column} else (
    select k.${column} from ${schema}.public_events${ofFoundRow} k
    where k.project_id = $1 and k.api_key_id = ${row}.api_key_id and ${namesKeyOwner('k')}
      and k.position <= ${row}.position order by k.position desc limit 1) end`;

const columnsOf = (schema: string, row: string) =>
  `${row}.position::text, ${row}.index, ${row}.as_of::text as "asOf", ${row}.kind, ${row}.event_id as "eventId",
  ${ownerOf(schema, row, 'user_id')} as "userId", ${ownerOf(schema, row, 'team_id')} as "teamId",
  (extract(epoch from ${row}.at) * 1000)::float8 as at, ${row}.actor_kind as "actorKind",
  ${row}.actor_id as "actorId", ${row}.request_id as "requestId"`;

/**
 * Not told, because another event of the same write tells it. `offset 0`: that one is looked up by its key. Postgres
 * would hash the whole table for a large page of a small one.
 */
const isTold = (schema: string, row: string) =>
  `(${row}.implied_by is null or not exists (
    select from ${schema}.public_events${ofFoundRow} t where t.key = ${row}.implied_by offset 0))`;

const rangeOf = (position: string) =>
  `(${position}, e.index) >= ($3::bigint, $4::int) and ${position} <= $5::bigint order by ${position}, e.index limit $6`;
const range = rangeOf('e.position');
const byPlace = 'order by position, index';
const ofSelection = `'${'selected_team.changed' satisfies PublicEventKind}'`;
const withMemberships = `array[${kindsWithMemberships.map((kind) => `'${kind}'`).join(', ')}]`;

/** SQL that reads the rows of value `v.value` in the order of an index. */
const sources = {
  all: (schema: string) =>
    `select e.* from ${schema}.public_events e where e.project_id = $1 and ${rangeOf('e.position + 0')}`,
  kind: (schema: string) =>
    `select e.* from ${schema}.public_events e where e.project_id = $1 and e.kind = v.value and ${range}`,
  user: (schema: string) =>
    `select e.* from ${schema}.public_events e where e.project_id = $1 and e.user_id = v.value::uuid and ${range}`,
  team: (schema: string) =>
    `select e.* from ${schema}.public_events e where e.project_id = $1 and e.team_id = v.value::uuid and ${range}`,
};
type Source = keyof typeof sources;

const searchSql = (schema: string, source: Source) => {
  const found = (name: Source) => `select c.* from unnest($2::text[]) v (value)
    cross join lateral (${sources[name](schema)}) c`;
  const membershipsTold = (when: string) => `select h.user_id, h.since, h.until from ${schema}.holdings h
    where h.project_id = $1 and h.team_id = v.value::uuid and ${when}`;
  // Each of the first ones has an event in the range, except that of the place before it.
  const ofMembers = `select e.* from unnest($2::text[]) v (value)
    cross join lateral (
      (${membershipsTold('h.is_told and h.first_told >= $3::bigint and h.first_told <= $5::bigint order by h.first_told limit $6::int + 1')})
      union all
      (${membershipsTold('h.last_told > h.first_told and h.last_told >= $3::bigint and h.first_told < $3::bigint')})) m
    join ${schema}.public_events${ofFoundRow} e on e.project_id = $1 and e.user_id = m.user_id
      and e.kind = any(${withMemberships}) and e.position > m.since and (m.until is null or e.position <= m.until)
    where not exists (
      select from ${schema}.ended_teams${ofFoundRow} t where t.team_id = v.value::uuid and t.ended < e.position)
      and ${range}`;
  const ofSelectedTeams = `select e.* from unnest($2::text[]) v (value)
    join ${schema}.holdings h on h.project_id = $1 and h.user_id = v.value::uuid and h.kind = 'selected_team'
    join ${schema}.public_events${ofFoundRow} e on e.project_id = $1 and e.team_id = h.team_id
      and e.kind = ${ofSelection} and e.position > h.since and (h.until is null or e.position <= h.until)
    where ${range}`;
  const ofKeys = (owner: 'user_id' | 'team_id') => `select c.* from unnest($2::text[]) v (value)
    join ${schema}.public_events k on k.project_id = $1 and k.${owner} = v.value::uuid and ${namesKeyOwner('k')}
    cross join lateral (
      select e.* from ${schema}.public_events${ofFoundRow} e where e.project_id = $1 and e.api_key_id = k.api_key_id
        and e.position > k.position and not ${namesKeyOwner('e')} and not exists (
          select from ${schema}.public_events${ofFoundRow} n where n.project_id = $1 and n.api_key_id = k.api_key_id
            and ${namesKeyOwner('n')} and n.position > k.position and n.position < e.position)
        and ${range}) c`;
  const others = {
    user: [ofSelectedTeams, ofKeys('user_id')],
    team: [ofMembers, ofKeys('team_id')],
    ...{ kind: [], all: [] },
  }[source];
  const candidates = [found(source), ...others].map((one) => `(${one})`).join(' union all ');
  return `with candidates as materialized (select * from (${candidates}) c ${byPlace} limit $6),
    scanned as (
      select count(*)::int as scanned, (array_agg(position ${byPlace}))[count(*)]::text as "edgePosition",
        (array_agg(index ${byPlace}))[count(*)] as "edgeIndex" from candidates)
    select s.*, c.* from scanned s left join (
      select ${columnsOf(schema, 'r')} from candidates r
      where ($7::text[] is null or r.kind = any($7))
        and ($8::uuid is null or r.user_id = $8 or r.kind = ${ofSelection} or r.api_key_id is not null)
        and ($9::uuid is null or r.team_id = $9 or r.kind = any(${withMemberships}) or r.api_key_id is not null)
        and ($10::timestamptz is null or r.at < $10) and ${isTold(schema, 'r')}
    ) c on true order by c.position::bigint, c.index`;
};

const queries = new Map<Source, ProjectQuery>(
  (Object.keys(sources) as Source[]).map((source) => {
    const name = `list-public-events-${source}`;
    return [source, defineQuery({ name, group: 'events', sql: (schema) => searchSql(schema, source) })];
  }),
);

function sourceOf({ kinds, userId, teamId }: EventRowFilters): { source: Source; values: readonly string[] } {
  if (userId !== null) return { source: 'user', values: [userId] };
  if (teamId !== null) return { source: 'team', values: [teamId] };
  return kinds === null ? { source: 'all', values: ['all'] } : { source: 'kind', values: kinds };
}

type Scanned = { scanned: number; edgePosition: string | null; edgeIndex: number | null };

/** Rows that match, oldest first, of the next `limit` rows that an index finds. */
export async function listEventRows(
  db: ReadDb,
  projectId: string,
  filters: EventRowFilters,
  { position, index, bound }: EventRange,
  limit: number,
): Promise<EventRows> {
  const { source, values } = sourceOf(filters);
  const query = queries.get(source);
  if (!query) throw new Error(`no query for ${source}`);
  const { kinds, userId, teamId, until } = filters;
  const end = until === null ? null : new Date(until).toISOString();
  const found = await db.rows<StoredRow & Scanned>(query, [
    projectId,
    ...[values, position, index, bound, limit],
    ...[kinds, userId, teamId, end],
  ]);
  const [{ scanned = 0, edgePosition = null, edgeIndex = null } = {}] = found;
  const isAtEnd = scanned < limit || edgePosition === null || edgeIndex === null;
  return {
    rows: found.flatMap(toRow),
    scannedTo: isAtEnd ? null : { position: BigInt(edgePosition), index: edgeIndex },
  };
}

/** A statement without matching rows still says how many it has looked at. */
function toRow({ scanned: _, edgePosition: __, edgeIndex: ___, ...row }: StoredRow & Scanned): EventRow[] {
  return row.position === null ? [] : [{ ...row, position: BigInt(row.position), asOf: BigInt(row.asOf) }];
}

const findQuery = defineQuery({
  name: 'find-public-event',
  group: 'events',
  sql: (schema) => `select ${columnsOf(schema, 'e')} from ${schema}.public_events e
    where e.project_id = $1 and e.event_id = $2 and e.index = $3 and ${isTold(schema, 'e')}`,
});

/** `index`: as in the row. */
export async function findEventRow(
  db: ReadDb,
  projectId: string,
  eventId: string,
  index: number,
): Promise<EventRow | null> {
  const [row] = await db.rows<StoredRow>(findQuery, [projectId, eventId, index]);
  return row ? { ...row, position: BigInt(row.position), asOf: BigInt(row.asOf) } : null;
}

const findSomeQuery = defineQuery({
  name: 'find-public-events',
  group: 'events',
  sql: (schema) => `select ${columnsOf(schema, 'e')} from unnest($2::uuid[], $3::int[]) o (id, nth)
    join ${schema}.public_events e on e.project_id = $1 and e.event_id = o.id and e.index = o.nth
    where ${isTold(schema, 'e')}`,
});

/** Those that the project has, in no order. `index`: as in the rows. */
export async function findEventRows(
  db: ReadDb,
  projectId: string,
  origins: readonly { eventId: string; index: number }[],
): Promise<EventRow[]> {
  const [ids, indexes] = [origins.map(({ eventId }) => eventId), origins.map(({ index }) => index)];
  const rows = await db.rows<StoredRow>(findSomeQuery, [projectId, ids, indexes]);
  return rows.map((row) => ({ ...row, position: BigInt(row.position), asOf: BigInt(row.asOf) }));
}

const sinceQuery = defineQuery({
  name: 'find-first-public-event-since',
  group: 'events',
  sql: (schema) => `select position::text from ${schema}.public_events e
    where e.project_id = $1 and e.at >= $2::timestamptz order by at, position limit 1`,
});

/** Position of the first event at a time or later (milliseconds since 1970); null if there is none. */
export async function findFirstSince(db: ReadDb, projectId: string, millis: number): Promise<bigint | null> {
  const [row] = await db.rows<{ position: string }>(sinceQuery, [projectId, new Date(millis).toISOString()]);
  return row ? BigInt(row.position) : null;
}

const countQuery = defineQuery({
  name: 'count-public-events',
  group: 'events',
  sql: (schema) => `select count(*)::int as count from (
    select from ${schema}.public_events e
    where e.project_id = $1 and (e.position + 0, e.index) >= ($2::bigint, $3::int) and e.position + 0 <= $4::bigint
      and ($5::text[] is null or e.kind = any($5)) and ${isTold(schema, 'e')}
    limit $6) counted`,
});

/** How many rows of these types are in a range, at most `limit`. */
export async function countEventRows(
  db: ReadDb,
  projectId: string,
  types: readonly PublicEventType[] | null,
  { position, index, bound }: EventRange,
  limit: number,
): Promise<number> {
  const kinds = types && kindsOf(types);
  const [row] = await db.rows<{ count: number }>(countQuery, [projectId, position, index, bound, kinds, limit]);
  return row?.count ?? 0;
}

/** The kinds of rows that stand for an event of one of these types. */
export const kindsOf = (types: readonly PublicEventType[]): PublicEventKind[] =>
  publicEventKinds.filter((kind) => typesOfKind(kind).some((type) => types.includes(type)));
