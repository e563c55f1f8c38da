import { defineQuery, type ProjectQuery, type ReadDb } from '../read-db.ts';
import {
  type AuditDriver,
  type AuditFilters,
  auditDrivers,
  driverOf,
  isExact,
  matches,
  matchValues,
  typeOf,
} from './filters.ts';

/** A row of the audit log; what the event says is in the log at `position`. */
export type AuditRow = {
  position: bigint;
  eventId: string;
  type: string;
  isTechnical: boolean;
  /** Milliseconds since 1970. */
  at: number;
  actorKind: string;
  actorId: string | null;
  impersonatorId: string | null;
  requestId: string;
  causationId: string | null;
  userId: string | null;
  teamId: string | null;
  objectType: string | null;
  objectId: string | null;
};
type StoredRow = Omit<AuditRow, 'position'> & { position: string };

export type AuditOrder = 'asc' | 'desc';
/** A place between two rows: after the row with this time and position. */
export type AuditPlace = { at: number; position: bigint };
/** `next`: where the next page begins; null if there are no more rows. The page can be short, or even empty. */
export type AuditPage = { rows: AuditRow[]; next: AuditPlace | null };

const columns = `position, event_id as "eventId", type, is_technical as "isTechnical",
  (extract(epoch from at) * 1000)::float8 as at, actor_kind as "actorKind", actor_id as "actorId",
  impersonator_id as "impersonatorId", request_id as "requestId", causation_id as "causationId", user_id as "userId",
  team_id as "teamId", object_type as "objectType", object_id as "objectId"`;

/** How many rows one statement looks at, and how often a page looks again for more. */
const scanSize = 1_000;
const maxScans = 5;

/**
 * Rows with some values of the driver's columns, in the order of an index for each value. Of the first `$8` of them,
 * those that match the other filters, and how many there are and where they end. Each of at most `count` values has
 * a branch: Postgres merges branches row by row, but would read a whole page for each row of a list of values.
 */
const searchSql = (schema: string, driver: AuditDriver, order: AuditOrder, count: number) => {
  const by = `order by at ${order}, position ${order}`;
  const range = `(a.at, a.position) ${order === 'desc' ? '<' : '>'} ($3::timestamptz, $4::bigint)
    and a.at >= $5::timestamptz and a.at < $6::timestamptz`;
  const branches = Array.from({ length: count }, (_, nth) =>
    driver.columns.map(
      (column) => `(select * from ${schema}.audit_events a
      where a.project_id = $1 and a.${column} = ($2::text[])[${nth + 1}]::${typeOf(driver, column)} and ${range}
      ${by} limit $7)`,
    ),
  );
  return `with candidates as materialized (
      select * from (${branches.flat().join(' union all ')}) c ${by} limit $7),
    scanned as (
      select count(*)::int as scanned,
        (array_agg((extract(epoch from at) * 1000)::float8 ${by}))[count(*)] as "edgeAt",
        (array_agg(position ${by}))[count(*)] as "edgePosition"
      from candidates)
    select s.*, c.* from scanned s
    left join (select ${columns} from candidates where ${matches(8)}) c on true ${by}`;
};

const orders = ['asc', 'desc'] as const;
/** Statements are prepared for these numbers of values of a driver, or for all that a filter can have. */
const valueCounts = [1, 4, 16];
const countsOf = ({ maxValues = 1 }: AuditDriver) => [...valueCounts.filter((count) => count < maxValues), maxValues];

const queries = new Map<string, ProjectQuery>();
const nameOf = (driver: AuditDriver, order: AuditOrder, count: number) =>
  `list-audit-events-${driver.name}-of-${count}-${order}`;
for (const order of orders) {
  for (const driver of Object.values(auditDrivers)) {
    for (const count of countsOf(driver)) {
      const name = nameOf(driver, order, count);
      const sql = (schema: string) => searchSql(schema, driver, order, count);
      queries.set(name, defineQuery({ name, group: 'audit', isHot: true, sql }));
    }
  }
}

function queryFor(driver: AuditDriver, order: AuditOrder, values: readonly string[]): ProjectQuery {
  const count = countsOf(driver).find((most) => values.length <= most) ?? 0;
  const query = queries.get(nameOf(driver, order, count));
  if (!query) throw new Error(`no query for ${values.length} values of ${driver.name}`);
  return query;
}

/** Before the first row in the bounds of time, where an index is entered. */
const startOf = (order: AuditOrder, [from, until]: readonly [string, string]) => [order === 'asc' ? from : until, -1n];
const timeOf = (millis: number) => new Date(millis).toISOString();

/** Rows of a project in the order of the log, after a place (null: from the beginning of the order). */
export async function listAuditRows(
  db: ReadDb,
  projectId: string,
  filters: AuditFilters,
  { order, after, limit }: { order: AuditOrder; after: AuditPlace | null; limit: number },
): Promise<AuditPage> {
  const { driver, values } = driverOf(filters);
  const query = queryFor(driver, order, values);
  const bounds: [string, string] = [
    filters.from === null ? '-infinity' : timeOf(filters.from),
    filters.until === null ? 'infinity' : timeOf(filters.until),
  ];
  const rows: AuditRow[] = [];
  let place = after;
  for (let scan = 0; scan < maxScans; scan += 1) {
    const size = isExact(filters) ? limit + 1 - rows.length : scan === 0 ? 2 * limit + 1 : scanSize;
    const from = place ? [timeOf(place.at), place.position] : startOf(order, bounds);
    const found = await db.rows<StoredRow & Scanned>(query, [
      ...[projectId, values, ...from, ...bounds, size],
      ...matchValues(filters),
    ] as [string, ...unknown[]]);
    rows.push(...found.flatMap(toRow));
    if (rows.length > limit) return { rows: rows.slice(0, limit), next: placeOf(rows[limit - 1]) };
    const [{ scanned = 0, edgeAt = null, edgePosition = null } = {}] = found;
    if (scanned < size || edgeAt === null || edgePosition === null) return { rows, next: null };
    place = { at: edgeAt, position: BigInt(edgePosition) };
  }
  return { rows, next: place };
}

type Scanned = { scanned: number; edgeAt: number | null; edgePosition: string | null };

/** A statement without matching rows still says how many it has looked at. */
function toRow({ scanned: _, edgeAt: __, edgePosition: ___, ...row }: StoredRow & Scanned): AuditRow[] {
  return row.position === null ? [] : [{ ...row, position: BigInt(row.position) }];
}

const placeOf = (row: AuditRow | undefined): AuditPlace | null => (row ? { at: row.at, position: row.position } : null);

const findQuery = defineQuery({
  name: 'find-audit-event',
  group: 'audit',
  isHot: true,
  sql: (schema) => `select ${columns} from ${schema}.audit_events where project_id = $1 and event_id = $2`,
});

export async function findAuditRow(db: ReadDb, projectId: string, eventId: string): Promise<AuditRow | null> {
  const [row] = await db.rows<StoredRow>(findQuery, [projectId, eventId]);
  return row ? { ...row, position: BigInt(row.position) } : null;
}

/** Positions of the newest events of some types, for each value of a column. */
const positionsQuery = (name: string, { column, cast, limit }: { column: string; cast: string; limit: number }) =>
  defineQuery({
    name,
    group: 'audit',
    isHot: true,
    sql: (schema) => `select n.position::text from unnest($2::${cast}[]) v (value) cross join lateral (
      select position from ${schema}.audit_events a
      where a.project_id = $1 and a.${column} = v.value and a.type = any($3::text[]) and a.position <= $4::bigint
      order by at desc, position desc limit ${limit}
    ) n`,
  });

const ofObjects = positionsQuery('list-naming-audit-events', { column: 'object_id', cast: 'text', limit: 100 });
const ofUsers = positionsQuery('list-address-audit-events', { column: 'user_id', cast: 'uuid', limit: 200 });

type Wanted = { ids: readonly string[]; types: readonly string[]; until: bigint };

async function listPositions(db: ReadDb, query: ProjectQuery, projectId: string, wanted: Wanted): Promise<bigint[]> {
  const { ids, types, until } = wanted;
  if (ids.length === 0) return [];
  const rows = await db.rows<{ position: string }>(query, [projectId, ids, types, until]);
  return rows.map(({ position }) => BigInt(position));
}

/** Positions of events of some types that concern these objects, up to a position. */
export const listNamingEvents = (db: ReadDb, projectId: string, objects: Wanted): Promise<bigint[]> =>
  listPositions(db, ofObjects, projectId, objects);

/** The same for events that concern these users. */
export const listEventsOfUsers = (db: ReadDb, projectId: string, users: Wanted): Promise<bigint[]> =>
  listPositions(db, ofUsers, projectId, users);

const erasedQuery = defineQuery({
  name: 'list-erased-subjects',
  group: 'audit',
  isHot: true,
  sql: (schema) => `select v.value::text as id from unnest($2::uuid[]) v (value)
    where exists (select from ${schema}.audit_events a where a.project_id = $1 and a.user_id = v.value and a.type = 'UserDeleted')
       or exists (select from ${schema}.audit_events a where a.project_id = $1 and a.team_id = v.value and a.type = 'TeamDeleted')`,
});

/** Which of these users and teams are deleted for good. */
export async function listErasedSubjects(
  db: ReadDb,
  projectId: string,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  if (ids.length === 0) return new Set();
  const rows = await db.rows<{ id: string }>(erasedQuery, [projectId, ids]);
  return new Set(rows.map(({ id }) => id));
}

/** A request with more events can't be undone: an import is one request. */
export const maxActionEvents = 1_000;

const undosQuery = defineQuery({
  name: 'list-undone-actions',
  group: 'audit',
  isHot: true,
  sql: (schema) => `select distinct r.id as "requestId", u.request_id as "undoneBy"
    from unnest($2::text[]) r (id) cross join lateral (
      select a.event_id from ${schema}.audit_events a where a.project_id = $1 and a.request_id = r.id
      order by a.at, a.position limit ${maxActionEvents}
    ) e
    join ${schema}.audit_events u on u.project_id = $1 and u.causation_id = e.event_id::text and u.is_undo`,
});

/** By request: the request that undid it. */
export async function listUndoneActions(
  db: ReadDb,
  projectId: string,
  requestIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const rows = await db.rows<{ requestId: string; undoneBy: string }>(undosQuery, [projectId, requestIds]);
  return new Map(rows.map(({ requestId, undoneBy }) => [requestId, undoneBy]));
}

const causedQuery = defineQuery({
  name: 'list-caused-audit-events',
  group: 'audit',
  sql: (schema) => `select n.* from unnest($2::text[]) v (value) cross join lateral (
      select ${columns} from ${schema}.audit_events a where a.project_id = $1 and a.causation_id = v.value
      order by a.at, a.position limit $3
    ) n order by n.at, n.position::bigint limit $3`,
});

/** The first events that these events caused directly, oldest first. */
export async function listCausedRows(
  db: ReadDb,
  projectId: string,
  eventIds: readonly string[],
  limit: number,
): Promise<AuditRow[]> {
  if (eventIds.length === 0) return [];
  const rows = await db.rows<StoredRow>(causedQuery, [projectId, eventIds, limit]);
  return rows.map((row) => ({ ...row, position: BigInt(row.position) }));
}
