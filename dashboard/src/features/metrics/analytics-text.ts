import type {
  AnalyticsGrouping,
  AnalyticsMeasure,
  AnalyticsRange,
  AnalyticsUnit,
} from '@gatebook/contract/analytics-ranges';
import type { AnalyticsInterval } from '@gatebook/js/admin';
import { plural, t } from '@lingui/core/macro';
import { countryName } from '../../lib/country-name.ts';
import { translateDevice } from '../../lib/device-name.ts';
import { formatCount, formatPercent } from '../../lib/format.ts';
import { i18n } from '../../lib/language.ts';
import { onFirstUse } from '../../lib/on-first-use.ts';
import { methodName } from '../../lib/sign-in-methods.ts';

type Words = { title: string; unit: (count: number) => string; counted: (count: number) => string; none: string };
export const measureWords: Readonly<Record<AnalyticsMeasure, Words>> = {
  sign_ups: {
    title: t`Sign-ups`,
    unit: (count) => plural(count, { one: 'sign-up', other: 'sign-ups' }),
    counted: (count) => plural(count, { one: '# sign-up', other: '# sign-ups' }),
    none: t`No sign-ups`,
  },
  sign_ins: {
    title: t`Sign-ins`,
    unit: (count) => plural(count, { one: 'sign-in', other: 'sign-ins' }),
    counted: (count) => plural(count, { one: '# sign-in', other: '# sign-ins' }),
    none: t`No sign-ins`,
  },
  active_users: {
    title: t`Active users`,
    unit: (count) => plural(count, { one: 'active user', other: 'active users' }),
    counted: (count) => plural(count, { one: '# active user', other: '# active users' }),
    none: t`No active users`,
  },
};
type Period = { name: string; within: string; before: string };
export const periods: Readonly<Record<AnalyticsRange, Period>> = {
  '24h': { name: t`24 hours`, within: t`in the last 24 hours`, before: t`in the 24 hours before` },
  '7d': { name: t`7 days`, within: t`in the last 7 days`, before: t`in the 7 days before` },
  '30d': { name: t`30 days`, within: t`in the last 30 days`, before: t`in the 30 days before` },
  '90d': { name: t`90 days`, within: t`in the last 90 days`, before: t`in the 90 days before` },
  '1y': { name: t`12 months`, within: t`in the last 12 months`, before: t`in the 12 months before` },
};
export const unitNames: Readonly<Record<AnalyticsUnit, string>> = {
  hour: t`Hourly`,
  day: t`Daily`,
  week: t`Weekly`,
  month: t`Monthly`,
};
export const groupingLabels: Readonly<Record<AnalyticsGrouping, string>> = {
  method: t`By method`,
  country: t`By country`,
  device: t`By device`,
  kind: t`By new and returning`,
};

const utc = { timeZone: 'UTC' } as const;
const formats = {
  hour: onFirstUse(
    () => new Intl.DateTimeFormat(i18n.locale, { ...utc, hour: '2-digit', minute: '2-digit', hourCycle: 'h23' }),
  ),
  day: onFirstUse(() => new Intl.DateTimeFormat(i18n.locale, { ...utc, day: 'numeric', month: 'short' })),
  week: onFirstUse(() => new Intl.DateTimeFormat(i18n.locale, { ...utc, day: 'numeric', month: 'short' })),
  month: onFirstUse(() => new Intl.DateTimeFormat(i18n.locale, { ...utc, month: 'short', year: 'numeric' })),
};
const wholeHour = onFirstUse(
  () =>
    new Intl.DateTimeFormat(i18n.locale, {
      ...utc,
      day: 'numeric',
      month: 'short',
      hour: '2-digit',
      minute: '2-digit',
      hourCycle: 'h23',
    }),
);

/** For an axis: `14:00`, `Nov 3`, `Nov 2026`. */
export const shortLabel = (unit: AnalyticsUnit, { start }: AnalyticsInterval): string => formats[unit]().format(start);

/** `Week of Nov 2`. The present interval is not over. */
export function longLabel(unit: AnalyticsUnit, { start, end }: AnalyticsInterval, now: Date): string {
  const begin = formats[unit]().format(start);
  const name = unit === 'hour' ? `${wholeHour().format(start)} UTC` : unit === 'week' ? t`Week of ${begin}` : begin;
  return end > now ? t`${name} (so far)` : name;
}

const kinds: Readonly<Record<string, string>> = { new: t`New`, returning: t`Returning` };

/** Names groups by their values. null: what is unknown, and all others. */
export type GroupNames = (value: string | null) => string;

/** The name of a group. null: what is unknown, and all others. */
export function groupName(grouping: AnalyticsGrouping, value: string | null): string {
  if (value === null) return t`Others and unknown`;
  if (grouping === 'country') return countryName(value);
  if (grouping === 'method') return methodName(value);
  if (grouping === 'device') return translateDevice(value);
  return grouping === 'kind' ? (kinds[value] ?? value) : value;
}

export const groupNames = (grouping: AnalyticsGrouping | null): GroupNames | null =>
  grouping && ((value) => groupName(grouping, value));

/** `share(1, 3)` is `33%`, `share(1, 900)` is `<1%`; of nothing it is a dash. */
export function share(part: number, whole: number): string {
  if (whole === 0) return '–';
  return part > 0 && part / whole < 0.005 ? `<${formatPercent(0.01)}` : formatPercent(part / whole);
}

/** `12% more than in the 30 days before`; null if there is nothing to compare. */
export function describeChange(total: number | null, before: number | null, range: AnalyticsRange): string | null {
  if (total === null || before === null) return null;
  const period = periods[range].before;
  if (total === before) return total === 0 ? null : t`same as ${period}`;
  if (before === 0) return t`none ${period}`;
  const change = Math.abs(total - before) / before;
  const size = change < 0.005 ? formatCount(Math.abs(total - before)) : formatPercent(change);
  return total > before ? t`${size} more than ${period}` : t`${size} fewer than ${period}`;
}
