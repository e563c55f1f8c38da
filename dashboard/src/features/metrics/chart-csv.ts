import { csvStart, toCsvRow } from '@gatebook/contract/csv';
import type { Analytics, Cohort, Funnel, Metrics } from '@gatebook/js/admin';
import { t } from '@lingui/core/macro';
import { countryName } from '../../lib/country-name.ts';
import type { GroupNames } from './analytics-text.ts';

/** The numbers of a chart, oldest first. Times are in UTC. */
export function csvOf({ intervals, counts, groups, before }: Analytics, nameOf: GroupNames | null): string {
  const names = nameOf ? groups.map(({ value }) => nameOf(value)) : [];
  const rows = intervals.map(({ start, end }, nth) => [
    start.toISOString(),
    end.toISOString(),
    counts[nth] ?? 0,
    ...(before ? [before.counts[nth] ?? 0] : []),
    ...names.map((_, group) => groups[group]?.counts[nth] ?? 0),
  ]);
  const head = ['start', 'end', 'count', ...(before ? ['period_before'] : []), ...names];
  return csvStart + [head, ...rows].map(toCsvRow).join('');
}

/** The numbers of the map. `unknown`: users of whom no country is known. */
export function countriesCsvOf(countries: Metrics['usersByCountry'], unknown: number): string {
  const rows = countries.map(({ country, count }) => [country, countryName(country), count]);
  return csvStart + [['code', 'country', 'users'], ...rows, ['', t`Unknown`, unknown]].map(toCsvRow).join('');
}

/** A row per week in which users joined. `week_1`: how many of them were active in the week after; empty if unknown. */
export function retentionCsvOf(cohorts: readonly Cohort[]): string {
  const weeks = Math.max(0, ...cohorts.map(({ active }) => active.length));
  const numbers = Array.from({ length: weeks }, (_, week) => week);
  const rows = cohorts.map(({ start, users, active }) => [
    start.toISOString(),
    users,
    ...numbers.map((week) => active[week]),
  ]);
  return csvStart + [['start', 'users', ...numbers.map((week) => `week_${week}`)], ...rows].map(toCsvRow).join('');
}

export const funnelCsvOf = ({ signedUp, verified, returned }: Funnel): string =>
  csvStart +
  [
    ['step', 'users'],
    ['signed_up', signedUp],
    ['verified', verified],
    ['returned', returned],
  ]
    .map(toCsvRow)
    .join('');
