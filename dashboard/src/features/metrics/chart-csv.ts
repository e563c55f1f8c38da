import type { AnalyticsGrouping } from '@gatebook/contract/analytics-ranges';
import type { Analytics } from '@gatebook/js/admin';
import { groupName } from './analytics-text.ts';

/** A spreadsheet would run a field that begins like a formula. */
const field = (value: string | number): string => {
  const text = typeof value === 'string' && /^[=+\-@\t\r]/.test(value) ? `'${value}` : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};

/** The numbers of a chart (RFC 4180), oldest first. Times are in UTC. */
export function csvOf({ intervals, counts, groups, before }: Analytics, by: AnalyticsGrouping | null): string {
  const parts = by ? groups : [];
  const head = ['start', 'end', 'count', ...(before ? ['period_before'] : [])];
  const rows = intervals.map(({ start, end }, nth) => [
    start.toISOString(),
    end.toISOString(),
    counts[nth] ?? 0,
    ...(before ? [before.counts[nth] ?? 0] : []),
    ...parts.map((group) => group.counts[nth] ?? 0),
  ]);
  const names = parts.map(({ value }) => (by ? groupName(by, value) : ''));
  return [[...head, ...names], ...rows].map((row) => `${row.map(field).join(',')}\r\n`).join('');
}
