import { defineQuery, type ReadDb } from '../read-db.ts';
import { type UserRow, userColumns } from '../users/queries.ts';

export type DayCount = { date: string; count: number };
export type ProjectMetrics = {
  totalUsers: number;
  /** 31 UTC days, oldest first, ending with `today`, zeros included. */
  dailyUsers: DayCount[];
  dailyActiveUsers: DayCount[];
  usersByCountry: { country: string; count: number }[];
  recentlyRegistered: UserRow[];
  recentlyActive: UserRow[];
  loginMethods: { method: string; count: number }[];
};

const days = `generate_series($2::date - 30, $2::date, interval '1 day') as d(day)`;

const signUpsQuery = defineQuery({
  name: 'metrics-sign-ups',
  group: 'metrics' as const,
  sql: (schema: string) => `select to_char(d.day, 'YYYY-MM-DD') as date, coalesce(n.count, 0)::int as count from ${days}
    left join (
      select (signed_up_at at time zone 'UTC')::date as day, count(*) from ${schema}.sign_ups
      where project_id = $1 and signed_up_at >= ($2::date - 30) at time zone 'UTC' and ($3 or not is_anonymous) group by 1
    ) n on n.day = d.day::date order by d.day`,
});

/** Users of `source` who are not anonymous, if `$n` is false. Deleted users count as regular ones. */
const kindFilter = (schema: string, source: string, parameter: string) =>
  `(${parameter} or not exists (select from ${schema}.sign_ups s where s.user_id = ${source}.user_id and s.is_anonymous))`;

const activeQuery = defineQuery({
  name: 'metrics-active',
  group: 'metrics' as const,
  sql: (schema: string) => `select to_char(d.day, 'YYYY-MM-DD') as date, coalesce(n.count, 0)::int as count from ${days}
    left join (
      select t.day, count(*) from activity.days t
      where t.project_id = $1 and t.day >= $2::date - 30 and ${kindFilter(schema, 't', '$3')} group by t.day
    ) n on n.day = d.day::date order by d.day`,
});

const countriesQuery = defineQuery({
  name: 'metrics-countries',
  group: 'metrics' as const,
  sql: (schema: string) => `select t.country, count(*)::int from activity.users t
    join ${schema}.sign_ups s on s.user_id = t.user_id
    where t.project_id = $1 and t.country is not null and ($2 or not s.is_anonymous)
    group by t.country order by 2 desc, 1`,
});

const methodsQuery = defineQuery({
  name: 'metrics-methods',
  group: 'metrics' as const,
  sql: (schema: string) => `select m.method, m.count::int from (
      select 'password' as method, count(*) filter (where has_password) as count from ${schema}.sign_ups where project_id = $1 and ($2 or not is_anonymous)
      union all
      select 'otp', count(*) filter (where has_otp) from ${schema}.sign_ups where project_id = $1 and ($2 or not is_anonymous)
      union all
      select 'passkey', count(*) filter (where has_passkey) from ${schema}.sign_ups where project_id = $1 and ($2 or not is_anonymous)
    ) m where m.count > 0 order by m.count desc, m.method`,
});

const totalQuery = defineQuery({
  name: 'metrics-total',
  sql: (schema: string) => `select user_count as count from ${schema}.projects where id = $1`,
});

const regularTotalQuery = defineQuery({
  name: 'metrics-regular-total',
  group: 'metrics' as const,
  sql: (schema: string) => `select count(*)::int from ${schema}.sign_ups where project_id = $1 and not is_anonymous`,
});

const registeredQuery = defineQuery({
  name: 'metrics-registered',
  sql: (schema: string) => `select ${userColumns(schema)} from ${schema}.users u
    where u.project_id = $1 and ($2 or not u.is_anonymous) order by u.signed_up_at desc, u.id limit 5`,
});
const recentlyActiveQuery = defineQuery({
  name: 'metrics-recently-active',
  sql: (schema: string) => `select ${userColumns(schema)} from (
      select t.user_id, t.last_active_at as time from activity.users t join ${schema}.users k on k.id = t.user_id
      where t.project_id = $1 and ($2 or not k.is_anonymous) order by t.last_active_at desc limit 5
    ) r join ${schema}.users u on u.id = r.user_id order by r.time desc`,
});

type MetricsOptions = {
  /** YYYY-MM-DD in UTC. */
  today: string;
  withAnonymous: boolean;
};

/** Metrics for owners (protocol, projects §3). */
export async function projectMetrics(
  db: ReadDb,
  projectId: string,
  { today, withAnonymous }: MetricsOptions,
): Promise<ProjectMetrics> {
  const [total, dailyUsers, dailyActiveUsers, usersByCountry, recentlyRegistered, recentlyActive, loginMethods] =
    await Promise.all([
      db.rows<{ count: number }>(withAnonymous ? totalQuery : regularTotalQuery, [projectId]),
      db.rows<DayCount>(signUpsQuery, [projectId, today, withAnonymous]),
      db.rows<DayCount>(activeQuery, [projectId, today, withAnonymous]),
      db.rows<{ country: string; count: number }>(countriesQuery, [projectId, withAnonymous]),
      db.rows<UserRow>(registeredQuery, [projectId, withAnonymous]),
      db.rows<UserRow>(recentlyActiveQuery, [projectId, withAnonymous]),
      db.rows<{ method: string; count: number }>(methodsQuery, [projectId, withAnonymous]),
    ]);
  const totalUsers = total[0]?.count ?? 0;
  return { totalUsers, dailyUsers, dailyActiveUsers, usersByCountry, recentlyRegistered, recentlyActive, loginMethods };
}

const userCountsQuery = defineQuery({
  name: 'metrics-user-counts',
  group: 'metrics' as const,
  sql: (schema: string) => `select count(*) filter (where not is_anonymous)::int as "regularUsers",
      count(*) filter (where is_anonymous)::int as "anonymousUsers"
    from ${schema}.sign_ups where project_id = $1`,
});

export async function countUsers(
  db: ReadDb,
  projectId: string,
): Promise<{ regularUsers: number; anonymousUsers: number }> {
  const [row] = await db.rows<{ regularUsers: number; anonymousUsers: number }>(userCountsQuery, [projectId]);
  return row ?? { regularUsers: 0, anonymousUsers: 0 };
}
