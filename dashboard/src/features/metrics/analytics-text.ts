import type {
  AnalyticsGrouping,
  AnalyticsMeasure,
  AnalyticsRange,
  AnalyticsUnit,
} from '@gatebook/contract/analytics-ranges';
import type { AnalyticsInterval } from '@gatebook/js/admin';
import { countryName } from '../../lib/country-name.ts';
import { formatCount } from '../../lib/format.ts';
import { methodName } from '../../lib/sign-in-methods.ts';

type Words = { title: string; one: string; many: string };
export const measureWords: Readonly<Record<AnalyticsMeasure, Words>> = {
  sign_ups: { title: 'Sign-ups', one: 'sign-up', many: 'sign-ups' },
  sign_ins: { title: 'Sign-ins', one: 'sign-in', many: 'sign-ins' },
  active_users: { title: 'Active users', one: 'active user', many: 'active users' },
};
export const rangeNames: Readonly<Record<AnalyticsRange, string>> = {
  '24h': '24 hours',
  '7d': '7 days',
  '30d': '30 days',
  '90d': '90 days',
  '1y': '12 months',
};
export const unitNames: Readonly<Record<AnalyticsUnit, string>> = {
  hour: 'Hourly',
  day: 'Daily',
  week: 'Weekly',
  month: 'Monthly',
};
export const groupingNames: Readonly<Record<AnalyticsGrouping, string>> = {
  method: 'Method',
  country: 'Country',
  device: 'Device',
  kind: 'New and returning',
};

const utc = { timeZone: 'UTC' } as const;
const formats = {
  hour: new Intl.DateTimeFormat('en', { ...utc, hour: '2-digit', minute: '2-digit', hourCycle: 'h23' }),
  day: new Intl.DateTimeFormat('en', { ...utc, day: 'numeric', month: 'short' }),
  week: new Intl.DateTimeFormat('en', { ...utc, day: 'numeric', month: 'short' }),
  month: new Intl.DateTimeFormat('en', { ...utc, month: 'short', year: 'numeric' }),
};
const wholeHour = new Intl.DateTimeFormat('en', {
  ...utc,
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
  hourCycle: 'h23',
});

/** For an axis: `14:00`, `Nov 3`, `Nov 2026`. */
export const shortLabel = (unit: AnalyticsUnit, { start }: AnalyticsInterval): string => formats[unit].format(start);

/** `Week of Nov 2`. The present interval is not over. */
export function longLabel(unit: AnalyticsUnit, { start, end }: AnalyticsInterval, now: Date): string {
  const name = unit === 'hour' ? `${wholeHour.format(start)} UTC` : formats[unit].format(start);
  return `${unit === 'week' ? 'Week of ' : ''}${name}${end > now ? ' (so far)' : ''}`;
}

const kinds: Readonly<Record<string, string>> = { new: 'New', returning: 'Returning' };

/** Names groups by their values. null: what is unknown, and all others. */
export type GroupNames = (value: string | null) => string;

/** The name of a group. null: what is unknown, and all others. */
export function groupName(grouping: AnalyticsGrouping, value: string | null): string {
  if (value === null) return 'Others and unknown';
  if (grouping === 'country') return countryName(value);
  if (grouping === 'method') return methodName(value);
  return grouping === 'kind' ? (kinds[value] ?? value) : value;
}

export const groupNames = (grouping: AnalyticsGrouping | null): GroupNames | null =>
  grouping && ((value) => groupName(grouping, value));

const percent = new Intl.NumberFormat('en', { style: 'percent', maximumFractionDigits: 0 });

/** `share(1, 3)` is `33%`, `share(1, 900)` is `<1%`; of nothing it is a dash. */
export function share(part: number, whole: number): string {
  if (whole === 0) return '–';
  return part > 0 && part / whole < 0.005 ? '<1%' : percent.format(part / whole);
}

/** `12% more than in the 30 days before`; null if there is nothing to compare. */
export function describeChange(total: number | null, before: number | null, range: AnalyticsRange): string | null {
  if (total === null || before === null) return null;
  const period = `the ${rangeNames[range]} before`;
  if (total === before) return total === 0 ? null : `same as in ${period}`;
  if (before === 0) return `none in ${period}`;
  const change = Math.abs(total - before) / before;
  const size = change < 0.005 ? formatCount(Math.abs(total - before)) : percent.format(change);
  return `${size} ${total > before ? 'more' : 'fewer'} than in ${period}`;
}
