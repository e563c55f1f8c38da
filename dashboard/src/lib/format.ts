import { t } from '@lingui/core/macro';
import { i18n } from './language.ts';
import { onFirstUse } from './on-first-use.ts';

// Each takes some milliseconds to make, and a page uses few of them.
const numbers = onFirstUse(() => new Intl.NumberFormat(i18n.locale));
const decimals = onFirstUse(
  () => new Intl.NumberFormat(i18n.locale, { minimumFractionDigits: 1, maximumFractionDigits: 1 }),
);
const percents = onFirstUse(() => new Intl.NumberFormat(i18n.locale, { style: 'percent' }));
const exactPercents = onFirstUse(
  () => new Intl.NumberFormat(i18n.locale, { style: 'percent', minimumFractionDigits: 1 }),
);
const exact = onFirstUse(() => new Intl.DateTimeFormat(i18n.locale, { dateStyle: 'medium', timeStyle: 'medium' }));
const day = onFirstUse(() => new Intl.DateTimeFormat(i18n.locale, { dateStyle: 'medium' }));
const exactUtc = onFirstUse(
  () => new Intl.DateTimeFormat(i18n.locale, { dateStyle: 'medium', timeStyle: 'medium', timeZone: 'UTC' }),
);
const utcDay = onFirstUse(
  () => new Intl.DateTimeFormat(i18n.locale, { day: 'numeric', month: 'short', timeZone: 'UTC' }),
);
const utcTime = onFirstUse(
  () => new Intl.DateTimeFormat(i18n.locale, { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' }),
);
const utcDays = onFirstUse(() => new Intl.DateTimeFormat(i18n.locale, { dateStyle: 'medium', timeZone: 'UTC' }));
const zones = onFirstUse(() => new Intl.DateTimeFormat(i18n.locale, { timeZoneName: 'short' }));
const relative = onFirstUse(() => new Intl.RelativeTimeFormat(i18n.locale, { numeric: 'auto' }));

export function formatCount(count: number | bigint): string {
  return numbers().format(count);
}

/** With one digit after the decimal separator. */
export function formatDecimal(value: number): string {
  return decimals().format(value);
}

/** A share as a whole percentage: `33%`. */
export function formatPercent(share: number): string {
  return percents().format(share);
}

/** The same with one decimal: `99.8%`; never rounded up to 100. */
export function formatExactPercent(share: number): string {
  return share === 0 || share === 1
    ? percents().format(share)
    : exactPercents().format(Math.floor(share * 1_000) / 1_000);
}

export function formatExactTime(at: Date, isUtc = false): string {
  return isUtc ? `${exactUtc().format(at)} UTC` : exact().format(at);
}

/** With the zone: `Nov 3, 2026, 2:02:00 PM GMT+1`. */
export function formatZonedTime(at: Date, isUtc = false): string {
  return isUtc ? formatExactTime(at, true) : `${exact().format(at)} ${zoneAt(at)}`;
}

const zoneAt = (at: Date): string =>
  zones()
    .formatToParts(at)
    .find(({ type }) => type === 'timeZoneName')?.value ?? '';

export function formatDay(at: Date, isUtc = false): string {
  return (isUtc ? utcDays : day)().format(at);
}

/** `date` is a UTC day, `YYYY-MM-DD`. */
export function formatUtcDay(date: string): string {
  return utcDay().format(new Date(`${date}T00:00:00Z`));
}

const dayMs = 86_400_000;

/** Days, or times if the span does not begin and end with a day: `Nov 3 – 9, 2026 (UTC)`. `until` is exclusive. */
export function formatSpan({ from, until }: { from: Date; until: Date }): string {
  const isOfDays = from.getTime() % dayMs === 0 && until.getTime() % dayMs === 0 && until > from;
  const text = isOfDays
    ? utcDays().formatRange(from, new Date(until.getTime() - 1))
    : utcTime().formatRange(from, until);
  return t`${text} (UTC)`;
}

const units: readonly [Intl.RelativeTimeFormatUnit, number][] = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['week', 604_800],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
];

/** `2 hours ago`, `in 3 days`; within a minute `just now` or `in a moment`. */
export function formatRelativeTime(at: Date, now: Date): string {
  const seconds = (at.getTime() - now.getTime()) / 1000;
  for (const [unit, size] of units) {
    if (Math.abs(seconds) >= size) return relative().format(Math.trunc(seconds / size), unit);
  }
  return seconds > 5 ? t`in a moment` : t`just now`;
}
