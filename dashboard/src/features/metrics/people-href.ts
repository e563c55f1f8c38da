import type { AnalyticsGrouping, AnalyticsMeasure } from '@gatebook/contract/analytics-ranges';
import type { Analytics, AnalyticsInterval } from '@gatebook/js/admin';
import { countedHref } from '../../lib/counted-point.ts';

/** Users whose latest activity was in no known country. */
export const unknownCountry = 'ZZ';

const usersHref = (projectId: string, search: Record<string, string>): string =>
  `/projects/${projectId}/users?${new URLSearchParams(search)}`;

/** The list of the users whose latest activity was in a country, the latest first: they are found soonest. */
export const peopleInHref = (projectId: string, country: string): string =>
  usersHref(projectId, { order: 'active', active_in: country });

export const peopleWithHref = (projectId: string, method: string): string => usersHref(projectId, { method });

const dayMs = 86_400_000;
const dayOf = (at: number) => new Date(at).toISOString().slice(0, 10);

/** Users of all kinds who signed up on days of UTC, until `last`. */
export const newPeopleHref = (projectId: string, last: string, days: number): string => {
  const end = Date.parse(last) + dayMs;
  return usersHref(projectId, { signed_up: `${end - days * dayMs}-${end}` });
};

/** Users of all kinds who were active on a day of UTC. */
export const activePeopleHref = (projectId: string, day: string): string =>
  usersHref(projectId, { order: 'active', active_on: `${day}_${day}` });

/** The list of the people of an interval, if a filter says who they are. */
function peopleHref(projectId: string, { start, end, people }: AnalyticsInterval): string | null {
  if (people === null || people.by === 'counted') return null;
  const found: Record<string, string> =
    people.by === 'signedUp'
      ? { signed_up: `${start.getTime()}-${end.getTime()}` }
      : { order: 'active', active_on: `${dayOf(start.getTime())}_${dayOf(end.getTime() - 1)}` };
  return usersHref(projectId, { anonymous: 'no', ...found });
}

/** Links of a chart. `nth`: an interval. null: there is no list of what is counted. */
export type PointLinks = {
  interval: (nth: number) => string | null;
  /** An interval of the period before. */
  before: (nth: number) => string | null;
  group: (nth: number, value: string | null) => string | null;
  total: string | null;
};
export const noLinks: PointLinks = { interval: () => null, before: () => null, group: () => null, total: null };

/** The API has so many groups at most, and then one for all others. */
export const shownGroups = 10;

export function linksOf(
  projectId: string,
  { intervals, before, groups }: Analytics,
  { kind, by }: { kind: AnalyticsMeasure; by: AnalyticsGrouping | null },
): PointLinks {
  const isUnknownAlone = groups.length <= shownGroups;
  const [first, last] = [intervals[0], intervals.at(-1)];
  const hrefOf = (interval: AnalyticsInterval | undefined): string | null =>
    interval
      ? (peopleHref(projectId, interval) ?? countedHref(projectId, { kind, from: interval.start, until: interval.end }))
      : null;
  return {
    interval: (nth) => hrefOf(intervals[nth]),
    before: (nth) => hrefOf(before?.intervals[nth]),
    group: (nth, value) => {
      const interval = intervals[nth];
      if (!interval || !by || (value === null && !isUnknownAlone)) return null;
      return countedHref(projectId, {
        ...{ kind, from: interval.start, until: interval.end },
        group: { by, value: value ?? '' },
      });
    },
    total: first && last ? countedHref(projectId, { kind, from: first.start, until: last.end }) : null,
  };
}
