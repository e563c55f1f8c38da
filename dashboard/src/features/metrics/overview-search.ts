import {
  type AnalyticsGrouping,
  type AnalyticsRange,
  type AnalyticsUnit,
  analyticsGroupings,
  analyticsRanges,
  divisions,
} from '@gatebook/contract/analytics-ranges';

/** The state of the overview, kept entirely in the URL. */
export type OverviewSearch = {
  range: AnalyticsRange;
  unit: AnalyticsUnit;
  by: AnalyticsGrouping | null;
  isCompared: boolean;
};

const usualRange: AnalyticsRange = '30d';
const usualUnit = (range: AnalyticsRange): AnalyticsUnit => divisions[range][0][0];
export const unitsOf = (range: AnalyticsRange): AnalyticsUnit[] => divisions[range].map(([unit]) => unit);

/** Unknown values, and a unit that the range is not divided by, give the usual ones. */
export function readOverviewSearch(search: Readonly<Record<string, unknown>>): OverviewSearch {
  const range = analyticsRanges.find((one) => one === search.range) ?? usualRange;
  return {
    range,
    unit: unitsOf(range).find((unit) => unit === search.unit) ?? usualUnit(range),
    by: analyticsGroupings.find((grouping) => grouping === search.by) ?? null,
    isCompared: search.compare === 'yes',
  };
}

/** The URL of that state, without usual values. */
export function overviewHref(projectId: string, { range, unit, by, isCompared }: OverviewSearch): string {
  const search = new URLSearchParams({
    ...(range !== usualRange && { range }),
    ...(unit !== usualUnit(range) && unitsOf(range).includes(unit) && { unit }),
    ...(by && { by }),
    ...(isCompared && { compare: 'yes' }),
  }).toString();
  return `/projects/${projectId}${search === '' ? '' : `?${search}`}`;
}
