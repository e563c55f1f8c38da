import { findSavedCounts } from '../activity/counts.ts';
import { defineQuery, type ReadDb } from '../read-db.ts';
import { findFirstCountedDay } from './active-totals.ts';
import { countSeries } from './analytics.ts';
import { countJoined } from './counting.ts';
import { addIntervals, boundsUntil, startOf } from './intervals.ts';

/** `active`: of the week of joining and each week since, this week last; null: not counted. */
export type Cohort = { start: number; users: number; active: (number | null)[] };

/** Users by the week in which they joined, and how many of them were active in each week since. Oldest first. */
export async function findRetention(db: ReadDb, projectId: string, weeks: number, now: number): Promise<Cohort[]> {
  const bounds = boundsUntil('week', weeks, now);
  const from = bounds[0] ?? 0;
  const present = startOf('week', now);
  const asked = { measure: 'active_users', unit: 'week', dimension: 'cohort', bounds, now } as const;
  const [saved, live, series, first] = await Promise.all([
    findSavedCounts(db, projectId, { measure: 'joined', unit: 'week', dimension: 'all' }, { from, until: present }),
    countJoined(db, projectId, bounds),
    countSeries(db, projectId, asked),
    findFirstCountedDay(db, projectId),
  ]);
  // Who was deleted since is still counted in the weeks of before, so the size of then belongs to them.
  const sizes = new Map([...live, ...saved].map(({ at, count }) => [at, count]));
  const active = new Map(series.map(({ value, counts }) => [value, counts]));
  const known = first === null ? present : addIntervals('week', startOf('week', first.at), first.isLate ? 1 : 0);
  return bounds.slice(0, -1).map((start, nth) => {
    const counts = active.get(new Date(start).toISOString().slice(0, 10)) ?? [];
    const later = bounds.slice(nth, -1);
    return {
      start,
      users: sizes.get(start) ?? 0,
      active: later.map((week, after) => (week < known ? null : (counts[nth + after] ?? 0))),
    };
  });
}

/** The most users that a funnel looks at: the newest ones. */
const largestFunnel = 100_000;

const funnelQuery = defineQuery({
  name: 'analytics-funnel',
  group: 'metrics' as const,
  sql: (schema) => `select count(*)::int as "signedUp", count(*) filter (where s.is_verified)::int as verified,
      count(*) filter (where s.is_verified and v.last_active_at >= (
        date_trunc('day', s.joined_at at time zone 'UTC') + interval '1 day') at time zone 'UTC')::int as returned
    from (
      select s.user_id, s.joined_at, s.is_verified from ${schema}.sign_ups s
      where s.project_id = $1 and s.joined_at >= $2::timestamptz and not s.is_anonymous order by s.joined_at desc limit $3
    ) s left join activity.users v on v.user_id = s.user_id`,
});

export type Funnel = { signedUp: number; verified: number; returned: number; isComplete: boolean };

/**
 * How many users joined since a time, how many of them verified an address, and how many of those were active on a
 * later day than the one on which they joined.
 */
export async function findFunnel(db: ReadDb, projectId: string, since: number, limit = largestFunnel): Promise<Funnel> {
  const [row] = await db.rows<Omit<Funnel, 'isComplete'>>(funnelQuery, [projectId, new Date(since), limit]);
  const found = row ?? { signedUp: 0, verified: 0, returned: 0 };
  return { ...found, isComplete: found.signedUp < limit };
}
