import { defineQuery, type ProjectQuery, type ReadDb } from '../read-db.ts';

/** What is grouped by; `cohort`: the week in which a user joined. */
export const dimensions = ['all', 'method', 'country', 'device', 'kind', 'cohort'] as const;
export type Dimension = (typeof dimensions)[number];
export const units = ['hour', 'day', 'week', 'month'] as const;
export type Unit = (typeof units)[number];
/** `at`: milliseconds; `value`: of the dimension, empty if unknown or not grouped. */
export type Count = { at: number; value: string; count: number };

type Tables = { signUps: string; activeUsers: string };
/** How to find the value of a dimension: the table to join and SQL. `since`: SQL of the time at which a user is new. */
type Grouping = { join?: keyof Tables; value: (since: string) => string };

export const utc = (time: string) => `${time} at time zone 'UTC'`;
const cohort = `to_char(date_trunc('week', s.joined_at at time zone 'UTC'), 'YYYY-MM-DD')`;
const kind = (since: string) => `case when s.joined_at >= ${since} then 'new' else 'returning' end`;

export const ofActive: Readonly<Record<Dimension, Grouping>> = {
  all: { value: () => `''` },
  method: { join: 'signUps', value: () => `coalesce(s.method, '')` },
  country: { join: 'activeUsers', value: () => `coalesce(v.country, '')` },
  device: { join: 'activeUsers', value: () => `coalesce(v.device, '')` },
  kind: { join: 'signUps', value: kind },
  cohort: { join: 'signUps', value: () => `coalesce(${cohort}, '')` },
};
export const ofSignIn: Readonly<Record<Dimension, Grouping>> = {
  ...ofActive,
  method: { value: () => 'i.method' },
  country: { value: () => `coalesce(i.country, '')` },
  device: { value: () => `coalesce(i.device, '')` },
  // New on the day of joining, whatever the interval, because days are added up.
  kind: { join: 'signUps', value: () => kind(utc(`date_trunc('day', ${utc('i.signed_in_at')})`)) },
};
export const ofSignUp: Readonly<Record<Dimension, Grouping>> = {
  ...ofActive,
  country: { join: 'signUps', value: () => `coalesce(s.country, '')` },
  device: { join: 'signUps', value: () => `coalesce(s.device, '')` },
  kind: { value: () => `'new'` },
};

/**
 * Joins what the grouping of user `user` needs. Users of days since $2 were last active since then: the condition lets
 * the planner read only these.
 */
export const joinOf = (schema: string, { join }: Grouping, user: string) =>
  join === undefined
    ? ''
    : join === 'signUps'
      ? `left join ${schema}.sign_ups s on s.user_id = ${user}`
      : `left join activity.users v on v.user_id = ${user} and v.last_active_at >= ${utc('$2::date::timestamp')}`;

/** The condition for users who are not anonymous. Most users are regular, so only the others are looked up. */
export const isRegular = (schema: string, { join }: Grouping, user: string) =>
  join === 'signUps'
    ? 's.is_anonymous is not true'
    : `not exists (select from ${schema}.sign_ups x where x.user_id = ${user} and x.is_anonymous)`;
const millis = (time: string) => `(extract(epoch from ${time}) * 1000)::float8`;
const bounds = '$2::timestamptz[]';
/** The number of the interval between two of the bounds that contains a time. */
const numberOf = (time: string) => `width_bucket(${time}, ${bounds})`;
const isWithin = (time: string) => `${time} >= (${bounds})[1] and ${time} < (${bounds})[array_length(${bounds}, 1)]`;
/** Converts times after counting, because that takes longer than counting. */
const counted = (at: string, groups: string) =>
  `select ${millis(at)} as at, g.value, g.count::int as count from (${groups}) g`;
const countedIn = (groups: string) => counted(`(${bounds})[g.nth]`, groups);

type Queries = Readonly<Record<Dimension, ProjectQuery>>;
export const define = (name: string, sql: (schema: string, dimension: Dimension) => string): Queries =>
  Object.fromEntries(
    dimensions.map((dimension) => [
      dimension,
      defineQuery({
        name: `${name}-by-${dimension}`,
        group: 'metrics' as const,
        sql: (schema) => sql(schema, dimension),
      }),
    ]),
  ) as Queries;

const signUpQueries = define('count-sign-ups', (schema, dimension) =>
  countedIn(`select ${numberOf('s.signed_up_at')} as nth, ${ofSignUp[dimension].value('')} as value, count(*) as count
    from ${schema}.sign_ups s where s.project_id = $1 and ${isWithin('s.signed_up_at')} and not s.is_anonymous group by 1, 2`),
);

const signInQueries = define('count-sign-ins', (schema, dimension) => {
  const grouping = ofSignIn[dimension];
  return countedIn(`select ${numberOf('i.signed_in_at')} as nth, ${grouping.value('')} as value, count(*) as count
    from ${schema}.sign_ins i ${joinOf(schema, grouping, 'i.user_id')}
    where i.project_id = $1 and ${isWithin('i.signed_in_at')} group by 1, 2`);
});

const joinedQuery = defineQuery({
  name: 'count-joined-users',
  group: 'metrics' as const,
  sql: (schema) =>
    countedIn(`select ${numberOf('s.joined_at')} as nth, '' as value, count(*) as count
      from ${schema}.sign_ups s where s.project_id = $1 and ${isWithin('s.joined_at')} and not s.is_anonymous group by 1`),
});

const activeDaysQueries = define('count-active-days', (schema, dimension) => {
  const grouping = ofActive[dimension];
  return counted(
    utc('g.day::timestamp'),
    `select d.day, ${grouping.value(utc('d.day::timestamp'))} as value, count(*) as count
    from activity.days d ${joinOf(schema, grouping, 'd.user_id')}
    where d.project_id = $1 and d.day between $2::date and $3::date and ${isRegular(schema, grouping, 'd.user_id')}
    group by 1, 2`,
  );
});

const activeBetweenQueries = define('count-active-between', (schema, dimension) => {
  const grouping = ofActive[dimension];
  const start = utc('$2::date::timestamp');
  return counted(
    start,
    `select ${grouping.value(start)} as value, count(*) as count
    from (select distinct d.user_id from activity.days d where d.project_id = $1 and d.day between $2::date and $3::date) a
    ${joinOf(schema, grouping, 'a.user_id')} where ${isRegular(schema, grouping, 'a.user_id')} group by 1`,
  );
});

/** Users with the same hours are counted together, because most users of a day are active in few hours. */
const activeHoursQueries = define('count-active-hours', (schema, dimension) => {
  const grouping = ofActive[dimension];
  return `select ${millis(`${utc('a.day::timestamp')} + h.hour * interval '1 hour'`)} as at, a.value, sum(a.users)::int as count
    from (
      select d.day, d.hours, ${grouping.value(utc('d.day::timestamp'))} as value, count(*) as users
      from activity.days d ${joinOf(schema, grouping, 'd.user_id')}
      where d.project_id = $1 and d.day between $2::date and $3::date and ${isRegular(schema, grouping, 'd.user_id')}
      group by 1, 2, 3
    ) a join generate_series(0, 23) h(hour) on a.hours & (1 << h.hour) <> 0 group by 1, 2`;
});

const activeSinceQueries = define('count-active-since', (schema, dimension) => {
  const grouping = ofActive[dimension];
  const join = grouping.join === 'signUps' ? joinOf(schema, grouping, 'v.user_id') : '';
  return counted(
    '$2::timestamptz',
    `select ${grouping.value('$2::timestamptz')} as value, count(*) as count from activity.users v ${join}
    where v.project_id = $1 and v.last_active_at >= $2::timestamptz and ${isRegular(schema, grouping, 'v.user_id')}
    group by 1`,
  );
});

const times = (bounds: readonly number[]) => bounds.map((at) => new Date(at));
const dayOf = (at: number) => new Date(at).toISOString().slice(0, 10);

/** Counts of regular users who exist, between each two of the bounds (ascending, in milliseconds). */
export const countSignUps = (db: ReadDb, projectId: string, dimension: Dimension, bounds: readonly number[]) =>
  db.rows<Count>(signUpQueries[dimension], [projectId, times(bounds)]);

/** How many users joined between each two of the bounds. */
export const countJoined = (db: ReadDb, projectId: string, bounds: readonly number[]) =>
  db.rows<Count>(joinedQuery, [projectId, times(bounds)]);

export const countSignIns = (db: ReadDb, projectId: string, dimension: Dimension, bounds: readonly number[]) =>
  db.rows<Count>(signInQueries[dimension], [projectId, times(bounds)]);

type Days = { from: number; until: number };

/** Users who were active on each of the days, which must not be forgotten. */
export const countActiveDays = (db: ReadDb, projectId: string, dimension: Dimension, { from, until }: Days) =>
  db.rows<Count>(activeDaysQueries[dimension], [projectId, dayOf(from), dayOf(until)]);

/** Users who were active on any of the days, as one count of the first day. */
export const countActiveBetween = (db: ReadDb, projectId: string, dimension: Dimension, { from, until }: Days) =>
  db.rows<Count>(activeBetweenQueries[dimension], [projectId, dayOf(from), dayOf(until)]);

/** Users who were active in each hour of the days. */
export const countActiveHours = (db: ReadDb, projectId: string, dimension: Dimension, { from, until }: Days) =>
  db.rows<Count>(activeHoursQueries[dimension], [projectId, dayOf(from), dayOf(until)]);

/** Users who were active since a time, until now. */
export const countActiveSince = (db: ReadDb, projectId: string, dimension: Dimension, since: number) =>
  db.rows<Count>(activeSinceQueries[dimension], [projectId, new Date(since)]);
