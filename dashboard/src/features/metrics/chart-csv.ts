import type { AnalyticsGrouping } from '@gatebook/contract/analytics-ranges';
import { csvStart, toCsvRow } from '@gatebook/contract/csv';
import type { Analytics } from '@gatebook/js/admin';
import { groupName } from './analytics-text.ts';

/** The numbers of a chart, oldest first. Times are in UTC. */
export function csvOf({ intervals, counts, groups, before }: Analytics, by: AnalyticsGrouping | null): string {
  const names = by ? groups.map(({ value }) => groupName(by, value)) : [];
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
