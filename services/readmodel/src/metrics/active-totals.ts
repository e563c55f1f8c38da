import { listActiveUsers } from '../activity/active-users.ts';
import { defineQuery, type ReadDb } from '../read-db.ts';
import { countActiveSince, type Unit } from './counting.ts';
import { startOf } from './intervals.ts';

const hourMs = 60 * 60_000;
const dayMs = 24 * hourMs;
const dayOf = (at: number) => new Date(at).toISOString().slice(0, 10);

/** How many users were active since a time, until now. */
export async function countActiveTotal(db: ReadDb, projectId: string, since: number): Promise<number> {
  return (await countActiveSince(db, projectId, 'all', since))[0]?.count ?? 0;
}

const hoursQuery = defineQuery({
  name: 'count-active-in-hours',
  group: 'metrics' as const,
  sql: (schema) => `select count(distinct d.user_id)::int as count
    from unnest($2::date[], $3::int[]) as w(day, hours)
    join activity.days d on d.project_id = $1 and d.day = w.day and d.hours & w.hours <> 0
    where not exists (select from ${schema}.sign_ups x where x.user_id = d.user_id and x.is_anonymous)`,
});

/** By day, the hours between two times: bit h for hour h. */
export function hoursBetween(from: number, until: number): Map<string, number> {
  const hours = new Map<string, number>();
  for (let at = from; at < until; at += hourMs) {
    const day = dayOf(at);
    hours.set(day, (hours.get(day) ?? 0) | (1 << ((at - startOf('day', at)) / hourMs)));
  }
  return hours;
}

/**
 * How many users were active in a period that has ended: of hours, or 7 or 30 days. null for other periods, because who
 * was active is forgotten after 32 days.
 */
export async function countActiveBefore(
  db: ReadDb,
  projectId: string,
  unit: Unit,
  { from, until }: { from: number; until: number },
): Promise<number | null> {
  if (unit === 'hour') {
    const hours = hoursBetween(from, until);
    const rows = await db.rows<{ count: number }>(hoursQuery, [projectId, [...hours.keys()], [...hours.values()]]);
    return rows[0]?.count ?? 0;
  }
  const days = (until - from) / dayMs;
  if (unit !== 'day' || (days !== 7 && days !== 30)) return null;
  const last = dayOf(until - dayMs);
  const [found] = await listActiveUsers(db, projectId, { days, from: last, until: last });
  return found ? found.users - found.anonymousUsers : 0;
}

const firstQuery = defineQuery({
  name: 'first-counted-day',
  group: 'metrics' as const,
  sql: (schema) => `select (extract(epoch from f.start::timestamp at time zone 'UTC') * 1000)::float8 as at,
      exists (select from ${schema}.sign_ups s
        where s.project_id = $1 and s.joined_at < date_trunc('week', f.start::timestamp) at time zone 'UTC' and not s.is_anonymous) as "isLate"
    from (select c.start from activity.counts c where c.project_id = $1 and c.measure = 'active_users'
      and c.unit = 'day' and c.dimension = 'all' order by c.start limit 1) f`,
});

/**
 * Since when active users are counted, in milliseconds. `isLate`: the project had users before the week of that day.
 */
export async function findFirstCountedDay(
  db: ReadDb,
  projectId: string,
): Promise<{ at: number; isLate: boolean } | null> {
  const [row] = await db.rows<{ at: number; isLate: boolean }>(firstQuery, [projectId]);
  return row ?? null;
}
