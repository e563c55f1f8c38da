import { t } from '@lingui/core/macro';

const HOUR_MS = 3_600_000;
/** Lengths as in "in the last …" and as in "more than … ago". */
type Period = { ms: number; within: string; before: string };
const period = (hours: number, within: string, before = within): Period => ({ ms: hours * HOUR_MS, within, before });
const periods: Readonly<Record<string, Period>> = {
  '24h': period(24, t`24 hours`),
  '7d': period(7 * 24, t`7 days`),
  '30d': period(30 * 24, t`30 days`),
  '90d': period(90 * 24, t`90 days`),
  '1y': period(365 * 24, t`year`, t`a year`),
};
const before = 'over-';

/** A period before now: in it (`30d`), or before it (`over-30d`). null for anything else. */
export function readPeriod(text: string | undefined): (Period & { isBefore: boolean }) | null {
  const isBefore = text?.startsWith(before) ?? false;
  const name = (isBefore ? text?.slice(before.length) : text) ?? '';
  const found = Object.hasOwn(periods, name) && periods[name];
  return found ? { ...found, isBefore } : null;
}

/** Two times in milliseconds since 1970, the second one exclusive: `1793491200000-1793577600000`. */
export function readSpan(text: string | undefined): { from: Date; until: Date } | null {
  const [, from, until] = /^(\d{1,15})-(\d{1,15})$/.exec(text ?? '') ?? [];
  return from === undefined || until === undefined
    ? null
    : { from: new Date(Number(from)), until: new Date(Number(until)) };
}

/** The first and the last of UTC days: `2026-11-16_2026-11-22`. */
export function readDays(text: string | undefined): [first: string, last: string] | null {
  const [, first, last] = /^(\d{4}-\d\d-\d\d)_(\d{4}-\d\d-\d\d)$/.exec(text ?? '') ?? [];
  const isValid = [first, last].every((day) => !Number.isNaN(Date.parse(day ?? '')));
  return first === undefined || last === undefined || !isValid ? null : [first, last];
}
