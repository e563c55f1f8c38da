import { defineQuery, type ReadDb } from '../read-db.ts';
import { type UserRow, userColumns, userJoins } from '../users/queries.ts';

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
      where project_id = $1 and signed_up_at >= ($2::date - 30) at time zone 'UTC' group by 1
    ) n on n.day = d.day::date order by d.day`,
});

const activeQuery = defineQuery({
  name: 'metrics-active',
  sql: () => `select to_char(d.day, 'YYYY-MM-DD') as date, coalesce(n.count, 0)::int as count from ${days}
    left join (
      select day, count(*) from activity.days where project_id = $1 and day >= $2::date - 30 group by day
    ) n on n.day = d.day::date order by d.day`,
});

const countriesQuery = defineQuery({
  name: 'metrics-countries',
  sql: () => `select country, count(*)::int from activity.users
    where project_id = $1 and country is not null group by country order by 2 desc, 1`,
});

const methodsQuery = defineQuery({
  name: 'metrics-methods',
  group: 'metrics' as const,
  sql: (schema: string) => `select m.method, m.count::int from (
      select 'password' as method, count(*) filter (where has_password) as count from ${schema}.sign_ups where project_id = $1
      union all
      select 'otp', count(*) filter (where has_otp) from ${schema}.sign_ups where project_id = $1
      union all
      select 'passkey', count(*) filter (where has_passkey) from ${schema}.sign_ups where project_id = $1
    ) m where m.count > 0 order by m.count desc, m.method`,
});

const totalQuery = defineQuery({
  name: 'metrics-total',
  sql: (schema: string) => `select user_count as count from ${schema}.projects where id = $1`,
});

const recentQuery = (name: string, order: string) =>
  defineQuery({
    name,
    sql: (schema: string) => `select ${userColumns(schema)} from ${schema}.users u ${userJoins(schema)}
    where u.project_id = $1 order by ${order} limit 5`,
  });
const registeredQuery = recentQuery('metrics-registered', 'u.signed_up_at desc, u.id');
const recentlyActiveQuery = defineQuery({
  name: 'metrics-recently-active',
  sql: (schema: string) => `select ${userColumns(schema)} from (
      select user_id, last_active_at from activity.users where project_id = $1 order by last_active_at desc limit 5
    ) r join ${schema}.users u on u.id = r.user_id ${userJoins(schema)} order by r.last_active_at desc`,
});

/** Metrics for owners (protocol, projects §3). `today` is YYYY-MM-DD in UTC. */
export async function projectMetrics(db: ReadDb, projectId: string, today: string): Promise<ProjectMetrics> {
  const [total, dailyUsers, dailyActiveUsers, usersByCountry, recentlyRegistered, recentlyActive, loginMethods] =
    await Promise.all([
      db.rows<{ count: number }>(totalQuery, [projectId]),
      db.rows<DayCount>(signUpsQuery, [projectId, today]),
      db.rows<DayCount>(activeQuery, [projectId, today]),
      db.rows<{ country: string; count: number }>(countriesQuery, [projectId]),
      db.rows<UserRow>(registeredQuery, [projectId]),
      db.rows<UserRow>(recentlyActiveQuery, [projectId]),
      db.rows<{ method: string; count: number }>(methodsQuery, [projectId]),
    ]);
  const totalUsers = total[0]?.count ?? 0;
  return { totalUsers, dailyUsers, dailyActiveUsers, usersByCountry, recentlyRegistered, recentlyActive, loginMethods };
}
