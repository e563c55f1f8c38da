import type { AnalyticsGrouping, AnalyticsMeasure } from '@gatebook/contract/analytics-ranges';
import type { Analytics } from '@gatebook/js/admin';
import { AppLink } from '../../components/app-link.tsx';
import { formatCount } from '../../lib/format.ts';
import { groupName, longLabel, measureWords } from './analytics-text.ts';
import classes from './overview-page.module.css';
import { peopleHref } from './people-href.ts';

type Props = { analytics: Analytics; measure: AnalyticsMeasure; by: AnalyticsGrouping | null; projectId: string };

/** All numbers of a chart, newest first, with links to the people. */
export function PointsTable({ analytics, measure, by, projectId }: Props) {
  const { unit, intervals, counts, groups, before } = analytics;
  const { title } = measureWords[measure];
  const now = new Date();
  return (
    <details className={classes.points}>
      <summary>Show as table</summary>
      <div className={classes.scrolled}>
        <table>
          <caption>{title}</caption>
          <thead>
            <tr>
              <th scope="col">Time</th>
              <th scope="col">{title}</th>
              {before && <th scope="col">Period before</th>}
              {by &&
                groups.map(({ value }) => (
                  <th key={value} scope="col">
                    {groupName(by, value)}
                  </th>
                ))}
            </tr>
          </thead>
          <tbody>
            {intervals
              .map((interval, nth) => {
                const href = peopleHref(projectId, interval);
                const label = longLabel(unit, interval, now);
                return (
                  <tr key={interval.start.getTime()}>
                    <th scope="row">{href && counts[nth] ? <AppLink href={href}>{label}</AppLink> : label}</th>
                    <td>{formatCount(counts[nth] ?? 0)}</td>
                    {before && <td>{formatCount(before.counts[nth] ?? 0)}</td>}
                    {by && groups.map((group) => <td key={group.value}>{formatCount(group.counts[nth] ?? 0)}</td>)}
                  </tr>
                );
              })
              .reverse()}
          </tbody>
        </table>
      </div>
    </details>
  );
}
