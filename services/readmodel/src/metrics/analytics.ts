import { findLastCountedDay, findSavedCounts } from '../activity/counts.ts';
import type { ReadDb } from '../read-db.ts';
import {
  type Count,
  countActiveBetween,
  countActiveDays,
  countActiveHours,
  countActiveSince,
  countSignIns,
  countSignUps,
  type Dimension,
  type Unit,
} from './counting.ts';
import { intervalAt, startOf } from './intervals.ts';

export const measures = ['sign_ups', 'sign_ins', 'active_users'] as const;
export type Measure = (typeof measures)[number];

/** `bounds`: of the intervals, ascending, in milliseconds. */
type Asked = { measure: Measure; unit: Unit; dimension: Dimension; bounds: readonly number[]; now: number };
/** `counts`: one per interval. */
export type Series = { value: string; counts: number[] };

const dayMs = 24 * 60 * 60_000;

/** One series per value of the dimension, most counts first. */
export async function countSeries(db: ReadDb, projectId: string, asked: Asked): Promise<Series[]> {
  const series = new Map<string, number[]>();
  for (const { at, value, count } of await countsOf(db, projectId, asked)) {
    const counts = series.get(value) ?? Array.from({ length: asked.bounds.length - 1 }, () => 0);
    series.set(value, counts);
    const nth = intervalAt(asked.bounds, at);
    if (nth >= 0) counts[nth] = (counts[nth] ?? 0) + count;
  }
  return [...series]
    .map(([value, counts]) => ({ value, counts }))
    .sort((a, b) => sum(b.counts) - sum(a.counts) || (a.value < b.value ? -1 : 1));
}

const sum = (counts: readonly number[]) => counts.reduce((total, count) => total + count, 0);

function countsOf(db: ReadDb, projectId: string, asked: Asked): Promise<Count[]> {
  const { measure, dimension, bounds } = asked;
  if (measure === 'sign_ups') return countSignUps(db, projectId, dimension, bounds);
  if (asked.unit === 'hour') return countHours(db, projectId, asked);
  if (measure === 'sign_ins' || asked.unit === 'day') return countDays(db, projectId, asked);
  return countPeriods(db, projectId, { ...asked, unit: asked.unit });
}

const edgesOf = (bounds: readonly number[]) => ({ from: bounds[0] ?? 0, until: bounds.at(-1) ?? 0 });

function countHours(db: ReadDb, projectId: string, { measure, dimension, bounds, now }: Asked): Promise<Count[]> {
  if (measure === 'sign_ins') return countSignIns(db, projectId, dimension, bounds);
  const { from, until } = edgesOf(bounds);
  return countActiveHours(db, projectId, dimension, {
    from: startOf('day', from),
    until: Math.min(startOf('day', until - 1), startOf('day', now)),
  });
}

/** Saved counts of complete days, and counts of the days since. */
async function countDays(db: ReadDb, projectId: string, { measure, dimension, bounds, now }: Asked): Promise<Count[]> {
  const { from, until } = edgesOf(bounds);
  const counted = measure === 'sign_ins' ? measure : 'active_users';
  const last = await findLastCountedDay(db, projectId, counted);
  const liveFrom = Math.max(from, last === null ? from : last + dayMs);
  const end = Math.min(until, startOf('day', now) + dayMs);
  const which = { measure: counted, unit: 'day', dimension } as const;
  const saved = findSavedCounts(db, projectId, which, { from, until: Math.min(until, liveFrom) });
  if (liveFrom >= end) return saved;
  const live =
    counted === 'sign_ins'
      ? countSignIns(db, projectId, dimension, [liveFrom, ...bounds.filter((bound) => bound > liveFrom)])
      : countActiveDays(db, projectId, dimension, { from: liveFrom, until: end - dayMs });
  return (await Promise.all([saved, live])).flat();
}

/** Saved counts of complete weeks or months, and who was active since the beginning of the present one. */
async function countPeriods(
  db: ReadDb,
  projectId: string,
  { dimension, unit, bounds, now }: Asked & { unit: 'week' | 'month' },
): Promise<Count[]> {
  const { from, until } = edgesOf(bounds);
  const present = startOf(unit, now);
  const last = await findLastCountedDay(db, projectId, 'active_users');
  const which = { measure: 'active_users', unit, dimension } as const;
  // The last interval that has ended may be complete for an hour without being counted to its end.
  const uncounted = startOf(unit, present - 1);
  const isCounted = last !== null && last >= present - dayMs;
  const saved = findSavedCounts(db, projectId, which, {
    from,
    until: Math.min(until, isCounted ? present : uncounted),
  });
  const live: Promise<Count[]>[] = [];
  if (!isCounted && uncounted >= from && uncounted < until) {
    live.push(countActiveBetween(db, projectId, dimension, { from: uncounted, until: present - dayMs }));
  }
  if (present >= from && present < until) live.push(countActiveSince(db, projectId, dimension, present));
  return (await Promise.all([saved, ...live])).flat();
}
