import type { DayCount, Metrics } from '@gatebook/js/admin';
import { formatCount } from '../../lib/format.ts';
import classes from './overview-page.module.css';

/** The key metrics at the top of the overview. */
export function Figures({ metrics }: { metrics: Metrics }) {
  const week = sumOf(metrics.dailyUsers.slice(-7));
  const lastWeek = sumOf(metrics.dailyUsers.slice(-14, -7));
  return (
    <dl className={classes.figures}>
      <Figure label="Users" value={metrics.totalUsers} note="total" />
      <Figure label="New in the last 7 days" value={week} note={describeChange(week, lastWeek)} />
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

function describeChange(current: number, previous: number): string {
  const change = current - previous;
  if (change === 0) return 'same as last week';
  return `${formatCount(Math.abs(change))} ${change > 0 ? 'more' : 'fewer'} than last week`;
}
