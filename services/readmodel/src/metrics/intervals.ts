import type { Unit } from './counting.ts';

const hourMs = 60 * 60_000;
const dayMs = 24 * hourMs;
/** 1970-01-05 was a Monday. */
const firstMonday = 4 * dayMs;

/** The beginning of the hour, day, week (Monday) or month in UTC that contains a time, in milliseconds. */
export function startOf(unit: Unit, at: number): number {
  if (unit === 'hour') return at - (at % hourMs);
  if (unit === 'day') return at - (at % dayMs);
  if (unit === 'week') return at - ((at - firstMonday) % (7 * dayMs));
  const date = new Date(at);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth());
}

/** `count` intervals later, or earlier. @param start of an interval */
export function addIntervals(unit: Unit, start: number, count: number): number {
  if (unit !== 'month') return start + count * { hour: hourMs, day: dayMs, week: 7 * dayMs }[unit];
  const date = new Date(start);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + count);
}

/** The bounds of `count` intervals, of which the last contains `now`: one more than intervals, ascending. */
export function boundsUntil(unit: Unit, count: number, now: number): number[] {
  const last = startOf(unit, now);
  return Array.from({ length: count + 1 }, (_, nth) => addIntervals(unit, last, nth + 1 - count));
}

/** Which interval contains a time; -1 if none does. */
export function intervalAt(bounds: readonly number[], at: number): number {
  const next = bounds.findIndex((bound) => bound > at);
  return next - 1;
}
