import { utf8Hex } from '../list-pages.ts';
import { ofFoundRow, type ReadDb } from '../read-db.ts';
import { listUsers, pageNear, placeOf, type SearchRow, type UserPage } from './list.ts';
import { type FoundRow, foundNearByActivity, listUsersByActivity, pageOf } from './list-by-activity.ts';
import { idIn, partOf, type UserListOptions } from './list-filters.ts';
import {
  defineShapes,
  fromCursor,
  membersOf,
  type Narrowing,
  nextUsers,
  queryOf,
  type SortedRange,
  shapeOf,
  shapes,
} from './list-shapes.ts';
import type { ListSort } from './list-sorts.ts';
import { foundNear, isFound } from './search.ts';

/** Times in milliseconds since 1970: from, inclusive, until, exclusive. null: no limit. */
export type TimeRange = { from: number | null; until: number | null };

/** What users have in common; null: anything. */
export type UserFilters = {
  /** `password`, `otp`, `passkey` or IDs of providers, of which a user has at least one. */
  methods: readonly string[] | null;
  isVerified: boolean | null;
  /** By an administrator. */
  isRestricted: boolean | null;
  isAnonymous: boolean | null;
  /** ISO 3166-1 alpha-2. */
  countries: readonly string[] | null;
  /** UTC days (YYYY-MM-DD): active on one of them, as far as days are not forgotten. */
  activeOn: readonly string[] | null;
  /** ISO 3166-1 alpha-2: the latest activity with a known country was in one of them; `ZZ`: no country is known. */
  activeIn: readonly string[] | null;
  /** IDs of users. */
  among: readonly string[] | null;
  signedUp: TimeRange;
  /** The latest activity, or the sign-up if there was none. */
  active: TimeRange;
};
export const userSorts = ['signedUp', 'active', 'name', 'email'] as const;
export type UserSort = (typeof userSorts)[number];
export type UserFilterOptions = Pick<UserListOptions, 'teamId' | 'query'> & { filters: UserFilters };
export type FindUsers = UserFilterOptions &
  Pick<UserListOptions, 'cursor' | 'limit' | 'isDescending'> & { sortedBy: UserSort };

const idForm = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';
const timeCursor = new RegExp(`^(?:\\d{1,14}\\.)?${idForm}$`);
const textCursor = new RegExp(`^(?:(?:${utf8Hex}){0,40}\\.)?${idForm}$`);

/** Whether a text can be the cursor of a list. Postgres would fail for others. */
export const isUserCursor = (cursor: string, sortedBy: UserSort): boolean =>
  (sortedBy === 'name' || sortedBy === 'email' ? textCursor : timeCursor).test(cursor);

/**
 * How many users one page looks through, so that no page gets slower with more users. A user by activity takes two
 * lookups. `counted`: for a count.
 */
const filterWindow = { byKey: 5_000, byActivity: 2_500, counted: 15_000 };

/**
 * One page of the users that match filters. It ends with a cursor where the search got to, so it can have fewer users
 * than asked for, or none, although more follow.
 */
export async function findUsers(
  db: ReadDb,
  projectId: string,
  { filters, sortedBy, ...rest }: FindUsers,
  window = filterWindow,
): Promise<UserPage> {
  const isByActivity = sortedBy === 'active';
  const sort = isByActivity ? 'signedUp' : sortedBy;
  const options = { ...rest, sort, ...(sort === 'signedUp' && kindFilters(filters)) };
  if (!isNarrowing(filters, sort)) return (isByActivity ? listUsersByActivity : listUsers)(db, projectId, options);
  const { limit, cursor } = rest;
  const shape = shapeOf(projectId, options);
  const { id, key } = placeOf(cursor, sort);
  const size = isByActivity ? window.byActivity : window.byKey;
  const values = [projectId, limit + 1, id, ...scopeOf(options), size, key, ...filterValues(filters)] as const;
  return isByActivity
    ? pageOf(await db.rows<FoundRow>(queryOf(byActivity, shape), values), limit)
    : pageNear(await db.rows<SearchRow>(queryOf(byKey, shape), values), limit);
}

/** `isComplete`: false if only some users were counted, because there are too many to count at once. */
export type UserCount = { count: number; isComplete: boolean };

/** How many users match. */
export async function countUsers(
  db: ReadDb,
  projectId: string,
  { filters, ...rest }: UserFilterOptions,
  window = filterWindow.counted,
): Promise<UserCount> {
  const options = { ...rest, ...kindFilters(filters), cursor: null, limit: 0, isDescending: true };
  const values = [projectId, window + 1, null, ...scopeOf(options), ...filterValues(filters)] as const;
  const [row] = await db.rows<{ count: number; read: number }>(queryOf(counts, shapeOf(projectId, options)), values);
  return { count: row?.count ?? 0, isComplete: (row?.read ?? 0) <= window };
}

/** Parameters $4 to $7. */
const scopeOf = ({ teamId, excluded, query }: Pick<UserListOptions, 'teamId' | 'excluded' | 'query'>) =>
  [teamId, excluded ?? [], partOf(query ?? ''), idIn(query ?? '')] as const;

/** The filters with their own index. */
function kindFilters({ isAnonymous, isVerified }: UserFilters): Pick<UserListOptions, 'onlyAnonymous' | 'excluded'> {
  if (isAnonymous === null) return {};
  if (isAnonymous) return { onlyAnonymous: true };
  return { excluded: isVerified ? ['anonymous', 'email_not_verified'] : ['anonymous'] };
}

/** Whether there are filters without their own index. */
function isNarrowing(filters: UserFilters, sort: ListSort): boolean {
  const { methods, isVerified, isRestricted, isAnonymous, countries, activeOn, activeIn, among, signedUp, active } =
    filters;
  const isIndexed =
    sort === 'signedUp'
      ? isVerified === null || (isVerified && isAnonymous === false)
      : isVerified === null && isAnonymous === null;
  const times = [signedUp.from, signedUp.until, active.from, active.until];
  return (
    !isIndexed ||
    [methods, isRestricted, countries, activeOn, activeIn, among, ...times].some((value) => value !== null)
  );
}

const timeOr = (millis: number | null, other: string) => (millis === null ? other : new Date(millis).toISOString());

/** Parameters of `conditionsFrom`, in order. */
const filterValues = ({ signedUp, active, ...filters }: UserFilters) => [
  filters.methods,
  filters.isVerified,
  filters.isRestricted,
  filters.isAnonymous,
  filters.countries,
  filters.activeOn,
  filters.activeIn,
  filters.among,
  ...[signedUp, active].flatMap(({ from, until }) => [timeOr(from, '-infinity'), timeOr(until, 'infinity')]),
];

const latestActivity = `coalesce((select a.last_active_at from activity.users a where a.user_id = u.id), u.signed_up_at)`;

/** `first`: number of the first parameter. A sort by time bounds what is read. */
function conditionsFrom(schema: string, first: number, sortedBy: UserSort): Narrowing {
  const [methods, isVerified, isRestricted, isAnonymous, countries, days, places, ids, ...times] = Array.from(
    { length: 12 },
    (_, nth) => `$${first + nth}`,
  );
  const isBetween = (time: string, { from, until }: SortedRange) => `${time} >= ${from} and ${time} < ${until}`;
  const rangeOf = ([from, until]: readonly string[]) => ({
    from: `${from}::timestamptz`,
    until: `${until}::timestamptz`,
  });
  const ranges = { signedUp: rangeOf(times.slice(0, 2)), active: rangeOf(times.slice(2)) };
  const read = sortedBy === 'signedUp' || sortedBy === 'active' ? ranges[sortedBy] : null;
  return {
    range: read,
    matches: `and (${methods}::text[] is null or u.has_password and 'password' = any(${methods})
        or u.otp_auth_enabled and 'otp' = any(${methods}) or u.passkey_auth_enabled and 'passkey' = any(${methods})
        or u.has_oauth_accounts and exists (select from ${schema}.oauth_accounts${ofFoundRow} o
          where o.user_id = u.id and o.provider = any(${methods})))
      and u.is_email_verified = coalesce(${isVerified}::boolean, u.is_email_verified)
      and u.restricted_by_admin = coalesce(${isRestricted}::boolean, u.restricted_by_admin)
      and u.is_anonymous = coalesce(${isAnonymous}::boolean, u.is_anonymous)
      and (${countries}::text[] is null or u.country_code = any(${countries}))
      and (${days}::date[] is null or exists (
        select from activity.days d where d.project_id = $1 and d.user_id = u.id and d.day = any(${days})))
      and (${places}::text[] is null
        or coalesce((select a.country from activity.users a where a.user_id = u.id), 'ZZ') = any(${places}))
      and (${ids}::uuid[] is null or u.id = any(${ids}))
      and ${read === ranges.signedUp ? 'true' : isBetween('u.signed_up_at', ranges.signedUp)}
      and ${read === ranges.active ? 'true' : ifGiven(ranges.active)}`,
  };

  /** The activity is looked up user by user, so only if it is asked for. */
  function ifGiven(range: SortedRange): string {
    return `(${range.from} = '-infinity' and ${range.until} = 'infinity'
      or ${isBetween(latestActivity, range)})`;
  }
}

const byKey = defineShapes('find-users', (schema, shape) =>
  foundNear(schema, shape, conditionsFrom(schema, 10, shape.sort)),
);
const byActivity = defineShapes(
  'find-active-users',
  (schema, shape) => foundNearByActivity(schema, shape, conditionsFrom(schema, 10, 'active')),
  shapes,
);
/** The newest users; of a team the first members, because the newest ones may be far between. */
const counts = defineShapes(
  'count-users',
  (schema, shape) => {
    const narrowing = conditionsFrom(schema, 8, 'signedUp');
    const matching = `count(*) filter (where ${isFound} ${narrowing.matches})::float8 as count`;
    const next = { narrowing, most: filterWindow.counted + 1 };
    return shape.teamId
      ? `with members as materialized (${membersOf(schema, '$2')})
        select (select count(*) from members)::float8 as read, ${matching} from ${schema}.users u
        where u.id = any(array(select user_id from members)) and ${fromCursor(schema, shape, 'null', narrowing)}`
      : `select count(*)::float8 as read, ${matching} from (${nextUsers(schema, shape, '$2', 'null', next)}) u`;
  },
  shapes,
);
