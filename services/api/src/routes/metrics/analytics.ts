import {
  type AnalyticsMeasure,
  type AnalyticsRange,
  type AnalyticsUnit,
  divisions,
} from '@gatebook/contract/analytics-ranges';
import {
  AnalyticsQuery,
  AnalyticsView,
  FunnelQuery,
  FunnelView,
  RetentionView,
} from '@gatebook/contract/project-analytics';
import { reject } from '@gatebook/domain/errors';
import { countActiveBefore, countActiveTotal, findFirstCountedDay } from '@gatebook/readmodel/metrics/active-totals';
import { countSeries, type Series } from '@gatebook/readmodel/metrics/analytics';
import { addIntervals, boundsUntil } from '@gatebook/readmodel/metrics/intervals';
import { findFunnel, findRetention } from '@gatebook/readmodel/metrics/retention';
import type { ReadDb } from '@gatebook/readmodel/read-db';
import { adminOnly } from '../../access.ts';
import { defineRoute } from '../../http/define-route.ts';

const tags = ['Operations'];
const shownGroups = 10;
const shownWeeks = 12;

const sum = (counts: readonly number[]) => counts.reduce((total, count) => total + count, 0);
const millisOf = (now: string) => Date.parse(now);
const noCounts = (bounds: readonly number[]) => bounds.slice(1).map(() => 0);

/** @throws DomainError SCHEMA_ERROR if the range is not divided by the unit */
function boundsOf(range: AnalyticsRange, wanted: AnalyticsUnit | undefined, now: number) {
  const [usual] = divisions[range];
  const unit = wanted ?? usual[0];
  const count = divisions[range].find(([one]) => one === unit)?.[1];
  if (count === undefined) return reject('SCHEMA_ERROR', { message: `unit ${unit} does not fit range ${range}` });
  return { unit, count, bounds: boundsUntil(unit, count, now) };
}

/** The largest groups; the rest and what is unknown are one. */
function groupsOf(series: readonly Series[]) {
  const known = series.filter(({ value }) => value !== '');
  const rest = [...known.slice(shownGroups), ...series.filter(({ value }) => value === '')];
  const others = rest.reduce<number[]>((all, { counts }) => counts.map((count, nth) => count + (all[nth] ?? 0)), []);
  const shown: { value: string | null; counts: number[] }[] = known.slice(0, shownGroups);
  return sum(others) === 0 ? shown : [...shown, { value: null, counts: others }];
}

type Bounds = readonly number[];
const edgesOf = (bounds: Bounds) => ({ from: bounds[0] ?? 0, until: bounds.at(-1) ?? 0 });

const dayMs = 24 * 60 * 60_000;
/** Who was active on an earlier day is forgotten. */
const keptDays = 32;
const dayOf = (at: number) => new Date(at).toISOString().slice(0, 10);

type Interval = { measure: AnalyticsMeasure; unit: AnalyticsUnit; start: number; end: number; now: number };

/** How users of an interval are searched for. */
function peopleOf({ measure, unit, start, end, now }: Interval): Record<string, string> | null {
  if (measure === 'sign_ups') {
    return { signed_up_from_millis: `${start}`, signed_up_until_millis: `${end}`, anonymous: 'false' };
  }
  if (measure === 'active_users' && start <= now - keptDays * dayMs) return null;
  if (measure === 'sign_ins' || unit === 'hour') return { counted: `${measure}:${start}-${end}` };
  return { active_on: `${dayOf(start)}_${dayOf(end - 1)}`, anonymous: 'false' };
}

export const analyticsRoute = defineRoute({
  method: 'GET',
  path: '/internal/analytics',
  access: adminOnly,
  tags,
  summary: 'Count users and sign-ins over time',
  description:
    'Counts regular users in hours, days, weeks (from Monday) or months of UTC, the present one last. Deleted users are not counted as sign-ups; sign-ins and active users of complete days stay counted. Anonymous users count once they sign up. Sign-ins are grouped by how and where they happened, active users by how they signed up and by the country and device of their last use. The numbers can lag by a few seconds.',
  query: AnalyticsQuery,
  response: { 200: AnalyticsView },
  handle: async ({ deps, caller: { projectId }, query }) => {
    const { measure, range, group_by: grouping, compare = false } = query;
    const now = millisOf(deps.now());
    const { unit, count, bounds } = boundsOf(range, query.unit, now);
    const asked = { measure, unit, dimension: 'all', bounds, now } as const;
    const before = compare ? bounds.map((bound) => addIntervals(unit, bound, -count)) : null;
    const { db } = deps;
    const [[all], groups, [earlier], totals, first] = await Promise.all([
      countSeries(db, projectId, asked),
      grouping ? countSeries(db, projectId, { ...asked, dimension: grouping }) : [],
      before ? countSeries(db, projectId, { ...asked, bounds: before }) : [],
      measure === 'active_users' ? countTotals(db, projectId, unit, bounds, before) : null,
      measure === 'active_users' ? findFirstCountedDay(db, projectId) : null,
    ]);
    const counts = all?.counts ?? noCounts(bounds);
    const countsBefore = earlier?.counts ?? noCounts(bounds);
    const intervalsOf = (edges: Bounds) =>
      edges.slice(0, -1).map((start, nth) => {
        const end = edges[nth + 1] ?? start;
        return { start_millis: start, end_millis: end, people: peopleOf({ measure, unit, start, end, now }) };
      });
    return {
      unit,
      intervals: intervalsOf(bounds),
      total: totals ? totals.now : sum(counts),
      counts,
      groups: groupsOf(groups),
      before: before && {
        start_millis: edgesOf(before).from,
        end_millis: edgesOf(before).until,
        intervals: intervalsOf(before),
        total: totals ? totals.before : sum(countsBefore),
        counts: countsBefore,
      },
      counted_since_millis: first?.isLate ? first.at : null,
    };
  },
});

async function countTotals(db: ReadDb, projectId: string, unit: AnalyticsUnit, bounds: Bounds, before: Bounds | null) {
  const [total, earlier] = await Promise.all([
    countActiveTotal(db, projectId, edgesOf(bounds).from),
    before && countActiveBefore(db, projectId, unit, edgesOf(before)),
  ]);
  return { now: total, before: earlier };
}

export const retentionRoute = defineRoute({
  method: 'GET',
  path: '/internal/analytics/retention',
  access: adminOnly,
  tags,
  summary: 'Get weekly retention',
  description:
    'Users by the week (UTC, from Monday) in which they signed up or were imported, and how many of them were active in each week since. Covers twelve weeks, this one included, the oldest first.',
  response: { 200: RetentionView },
  handle: async ({ deps, caller }) => {
    const cohorts = await findRetention(deps.db, caller.projectId, shownWeeks, millisOf(deps.now()));
    return { cohorts: cohorts.map(({ start, users, active }) => ({ start_millis: start, users, active })) };
  },
});

export const funnelRoute = defineRoute({
  method: 'GET',
  path: '/internal/analytics/funnel',
  access: adminOnly,
  tags,
  summary: 'Get the sign-up funnel',
  description:
    'Users who signed up or were imported in the range, those of them who verified an email address, and those of these who were active on a later day (UTC).',
  query: FunnelQuery,
  response: { 200: FunnelView },
  handle: async ({ deps, caller, query }) => {
    const { bounds } = boundsOf(query.range, undefined, millisOf(deps.now()));
    const start = edgesOf(bounds).from;
    const { signedUp, verified, returned, isComplete } = await findFunnel(deps.db, caller.projectId, start);
    return { start_millis: start, signed_up: signedUp, verified, returned, is_complete: isComplete };
  },
});
