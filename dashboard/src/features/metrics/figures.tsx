import type { DayCount, Metrics } from '@gatebook/js/admin';
import { t } from '@lingui/core/macro';
import { formatCount } from '../../lib/format.ts';
import classes from './overview-page.module.css';

/** The key metrics at the top of the overview. */
export function Figures({ metrics }: { metrics: Metrics }) {
  const week = sumOf(metrics.dailyUsers.slice(-7));
  const lastWeek = sumOf(metrics.dailyUsers.slice(-14, -7));
  return (
    <dl className={classes.figures}>
      <Figure label={t`Users`} value={metrics.totalUsers} note={t`total`} />
      <Figure label={t`New in the last 7 days`} value={week} note={describeChange(week, lastWeek)} />
      <Figure label={t`New today`} value={metrics.dailyUsers.at(-1)?.count ?? 0} note={t`since midnight UTC`} />
      <Figure
        label={t`Active today`}
        value={metrics.dailyActiveUsers.at(-1)?.count ?? 0}
        note={t`since midnight UTC`}
      />
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
  if (change === 0) return t`same as last week`;
  return change > 0 ? t`${formatCount(change)} more than last week` : t`${formatCount(-change)} fewer than last week`;
}
