import type { DayCount, Metrics } from '@gatebook/js/admin';
import { t } from '@lingui/core/macro';
import { PlainLink } from '../../components/app-link.tsx';
import { formatCount } from '../../lib/format.ts';
import classes from './overview-page.module.css';
import { activePeopleHref, newPeopleHref } from './people-href.ts';

/** The key metrics at the top of the overview. */
export function Figures({ metrics, projectId }: { metrics: Metrics; projectId: string }) {
  const day = metrics.dailyUsers.at(-1)?.date;
  const newHref = (days: number) => (day === undefined ? null : newPeopleHref(projectId, day, days));
  const week = sumOf(metrics.dailyUsers.slice(-7));
  const lastWeek = sumOf(metrics.dailyUsers.slice(-14, -7));
  return (
    <dl className={classes.figures}>
      <Figure label={t`Users`} value={metrics.totalUsers} note={t`total`} href={`/projects/${projectId}/users`} />
      <Figure label={t`New in the last 7 days`} value={week} note={describeChange(week, lastWeek)} href={newHref(7)} />
      <Figure
        label={t`New today`}
        value={metrics.dailyUsers.at(-1)?.count ?? 0}
        note={t`since midnight UTC`}
        href={newHref(1)}
      />
      <Figure
        label={t`Active today`}
        value={metrics.dailyActiveUsers.at(-1)?.count ?? 0}
        note={t`since midnight UTC`}
        href={day === undefined ? null : activePeopleHref(projectId, day)}
      />
    </dl>
  );
}

type FigureProps = { label: string; value: number; note: string; href: string | null };

function Figure({ label, value, note, href }: FigureProps) {
  const count = formatCount(value);
  return (
    <div className={classes.figure}>
      <dt>{label}</dt>
      <dd className={classes.number}>
        {href && value > 0 ? (
          <PlainLink href={href} className={classes.figureLink} aria-label={t`${count}, ${label}: show users`}>
            {count}
          </PlainLink>
        ) : (
          count
        )}
      </dd>
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
