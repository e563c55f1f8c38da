import type { DayCount, Metrics } from '@gatebook/js/metrics';
import { formatCount } from '../../lib/format.ts';
import classes from './overview-page.module.css';

/** The four numbers that an owner looks for first. */
export function Figures({ metrics }: { metrics: Metrics }) {
  const week = sumOf(metrics.dailyUsers.slice(-7));
  const weekBefore = sumOf(metrics.dailyUsers.slice(-14, -7));
  return (
    <dl className={classes.figures}>
      <Figure label="Users" value={metrics.totalUsers} note="in all" />
      <Figure label="New in 7 days" value={week} note={compared(week, weekBefore)} />
      <Figure label="New today" value={metrics.dailyUsers.at(-1)?.count ?? 0} note="since midnight UTC" />
      <Figure label="Active today" value={metrics.dailyActiveUsers.at(-1)?.count ?? 0} note="since midnight UTC" />
    </dl>
  );
}

function Figure({ label, value, note }: { label: string; value: number; note: string }) {
  return (
    <div className={classes.figure}>
      <dt>{label}</dt>
      <dd className={classes.number}>{formatCount(value)}</dd>
      <dd className={classes.note}>{note}</dd>
    </div>
  );
}

function sumOf(days: readonly DayCount[]): number {
  return days.reduce((sum, { count }) => sum + count, 0);
}

function compared(now: number, before: number): string {
  const change = now - before;
  if (change === 0) return 'as many as the week before';
  return `${formatCount(Math.abs(change))} ${change > 0 ? 'more' : 'fewer'} than the week before`;
}
