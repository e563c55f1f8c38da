import { defineQuery, type ProjectQuery, type ReadDb } from '../read-db.ts';

/** Equal rejections of one window. Times are milliseconds since 1970. */
export type ListedRejection = {
  id: string;
  code: string;
  route: string;
  accessType: string | null;
  userId: string | null;
  network: string | null;
  count: number;
  firstAt: number;
  lastAt: number;
  firstRequestId: string;
  lastRequestId: string;
};
/** `null` matches every value. `from` and `until`: of the first rejection, `until` is exclusive. */
export type RejectionFilters = {
  accessTypes: readonly (string | null)[] | null;
  /** Only rejections of a known account. */
  isWithUser: boolean;
  userId: string | null;
  requestId: string | null;
  /** An address or a network. */
  network: string | null;
  from: number | null;
  until: number | null;
  except: RejectionExclusions | null;
};
/** Rejections to exclude; the lists can be empty. `isWithUser`: all rejections of a known account. */
export type RejectionExclusions = {
  isWithUser: boolean;
  userIds: readonly string[];
  requestIds: readonly string[];
  /** A rejection is left out if its whole network lies in one of these addresses and networks. */
  networks: readonly string[];
};
/** After the row with this time and ID. */
export type RejectionPlace = { at: number; id: string };

const scanSize = 1_000;
const maxScans = 5;

const millis = (column: string) => `(extract(epoch from ${column}) * 1000)::float8`;
const columns = `id, code, route, access_type as "accessType", user_id as "userId", network, count::float8 as count,
  ${millis('first_at')} as "firstAt", ${millis('last_at')} as "lastAt", first_request_id as "firstRequestId",
  last_request_id as "lastRequestId"`;

/** SQL condition of what is not left out, whose values begin at parameter `first`. */
export const notExcepted = (first: number): string => `($${first}::boolean is not true or user_id is null)
    and ($${first + 1}::uuid[] is null or not coalesce(user_id = any($${first + 1}), false))
    and ($${first + 2}::text[] is null or not (first_request_id = any($${first + 2}) or last_request_id = any($${first + 2})))
    and ($${first + 3}::inet[] is null or not coalesce(network::inet <<= any($${first + 3}), false))`;

export const exceptValues = ({ except }: RejectionFilters): readonly unknown[] =>
  [except?.isWithUser, except?.userIds, except?.requestIds, except?.networks].map((value) => value ?? null);

/** Windows do not overlap, so the order of windows, which has an index, is that of the first times too. */
const searchSql = (which: string, order: 'asc' | 'desc') => {
  const by = `order by window_at ${order}, first_at ${order}, id ${order}`;
  const after = order === 'desc' ? '<' : '>';
  const edge = order === 'desc' ? '<=' : '>';
  return `with candidates as materialized (
      select * from activity.rejections r
      where r.project_id = $1 and ${which} and (r.first_at, r.id) ${after} ($3::timestamptz, $4::uuid)
        and r.window_at ${edge} $3::timestamptz ${order === 'asc' ? "- interval '5 minutes'" : ''}
        and r.window_at > $5::timestamptz - interval '5 minutes' and r.window_at < $6::timestamptz
        and r.first_at >= $5::timestamptz and r.first_at < $6::timestamptz
      ${by} limit $7),
    scanned as (
      select count(*)::int as scanned, (array_agg(${millis('first_at')} ${by}))[count(*)] as "edgeAt",
        (array_agg(id ${by}))[count(*)] as "edgeId" from candidates)
    select s.*, c.* from scanned s
    left join (select ${columns}, window_at, first_at from candidates
      where ($8::text[] is null or coalesce(access_type, '') = any($8))
        and ($9::uuid is null or user_id = $9) and (user_id is not null or not $12::boolean)
        and ($10::text is null or $10 in (first_request_id, last_request_id))
        and ($11::inet is null or network::inet && $11)
        and ${notExcepted(13)}) c on true
    ${by}`;
};

const conditions = {
  time: '$2::text is null',
  user: 'r.user_id = $2::uuid',
  request: '$2 in (r.first_request_id, r.last_request_id)',
};
const queries = new Map<string, ProjectQuery>();
for (const [name, which] of Object.entries(conditions)) {
  for (const order of ['asc', 'desc'] as const) {
    const query = `list-rejections-by-${name}-${order}`;
    queries.set(`${name} ${order}`, defineQuery({ name: query, isHot: true, sql: () => searchSql(which, order) }));
  }
}

const start = {
  desc: ['infinity', 'ffffffff-ffff-ffff-ffff-ffffffffffff'],
  asc: ['-infinity', '00000000-0000-0000-0000-000000000000'],
} as const;
const timeOf = (time: number) => new Date(time).toISOString();

/** Rejections of a project by their first times, after a place (null: from the beginning of the order). */
export async function listRejections(
  db: ReadDb,
  projectId: string,
  filters: RejectionFilters,
  { order, after, limit }: { order: 'asc' | 'desc'; after: RejectionPlace | null; limit: number },
): Promise<{ rows: ListedRejection[]; next: RejectionPlace | null }> {
  const { accessTypes, isWithUser, userId, requestId, network, from, until } = filters;
  const by = requestId === null ? (userId === null ? 'time' : 'user') : 'request';
  const query = queries.get(`${by} ${order}`);
  if (!query) throw new Error(`no query of rejections by ${by}`);
  const bounds = [from === null ? '-infinity' : timeOf(from), until === null ? 'infinity' : timeOf(until)];
  const accesses = accessTypes?.map((type) => type ?? '') ?? null;
  const matched = [accesses, userId, requestId, network, isWithUser, ...exceptValues(filters)];
  const rows: ListedRejection[] = [];
  let place = after;
  for (let scan = 0; scan < maxScans; scan += 1) {
    const size = scan === 0 ? 2 * limit + 1 : scanSize;
    const begin = place ? [timeOf(place.at), place.id] : start[order];
    const values = [projectId, requestId ?? userId, ...begin, ...bounds, size, ...matched];
    const found = await db.rows<ListedRejection & Scanned>(query, values as [string, ...unknown[]]);
    rows.push(...found.flatMap(toRow));
    if (rows.length > limit) return { rows: rows.slice(0, limit), next: placeOf(rows[limit - 1]) };
    const [{ scanned = 0, edgeAt = null, edgeId = null } = {}] = found;
    if (scanned < size || edgeAt === null || edgeId === null) return { rows, next: null };
    place = { at: edgeAt, id: edgeId };
  }
  return { rows, next: place };
}

type Scanned = { scanned: number; edgeAt: number | null; edgeId: string | null };

function toRow({ scanned: _, edgeAt: __, edgeId: ___, ...row }: ListedRejection & Scanned): ListedRejection[] {
  const { id, code, route, accessType, userId, network, count, firstAt, lastAt, firstRequestId, lastRequestId } = row;
  if (id === null) return [];
  return [{ id, code, route, accessType, userId, network, count, firstAt, lastAt, firstRequestId, lastRequestId }];
}

const placeOf = (row: ListedRejection | undefined) => (row ? { at: row.firstAt, id: row.id } : null);

const findQuery = defineQuery({
  name: 'find-rejection',
  sql: () => `select ${columns} from activity.rejections r where r.project_id = $1 and r.id = $2`,
});

export async function findRejection(db: ReadDb, projectId: string, id: string): Promise<ListedRejection | null> {
  const [row] = await db.rows<ListedRejection>(findQuery, [projectId, id]);
  return row ?? null;
}
