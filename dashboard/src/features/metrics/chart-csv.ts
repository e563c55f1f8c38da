import { csvStart, toCsvRow } from '@gatebook/contract/csv';
import type { Analytics, Metrics } from '@gatebook/js/admin';
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
