import type { AnalyticsMeasure } from '@gatebook/contract/analytics-ranges';
import type { Analytics, MetricsClient } from '@gatebook/js/admin';
import { useResource, useResourceCache } from '@gatebook/react';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Text } from '@mantine/core';
import { useRef } from 'react';
import { PlainLink } from '../../components/app-link.tsx';
import { Later } from '../../components/later.tsx';
import { BlockLoading, Card, ErrorNote } from '../../components/states.tsx';
import { formatCount, formatDay } from '../../lib/format.ts';
import { late, useLate } from '../../lib/late.ts';
import { describeChange, groupNames, longLabel, measureWords, periods } from './analytics-text.ts';
import { csvOf } from './chart-csv.ts';
import { ExportMenu } from './export-menu.tsx';
import classes from './overview-page.module.css';
import type { OverviewSearch } from './overview-search.ts';
import { linksOf } from './people-href.ts';
import { PointsTable } from './points-table.tsx';

/** Not `lazy`: React shows what it suspends for at least 300 ms. */
const measureChart = late(async () => (await import('./measure-chart.tsx')).MeasureChart);
// The browser compiles it while the page renders for the first time. A failure is shown by the cards.
void measureChart.load().catch(() => {});
const chartHeight = 220;

type Props = {
  metrics: Pick<MetricsClient, 'count'>;
  projectId: string;
  search: OverviewSearch;
  measure: AnalyticsMeasure;
  /** Whether the chart is further down than what is seen first. */
  isLower?: boolean;
};

function readMeasure({ metrics, projectId, search: { range, unit, by, isCompared }, measure }: Props) {
  const groupBy = measure === 'sign_ups' && by === 'kind' ? null : by;
  const key = ['analytics', projectId, measure, range, unit, groupBy ?? '', isCompared];
  const load = () => metrics.count({ measure, range, unit, groupBy: groupBy ?? undefined, compare: isCompared });
  return { groupBy, key, load };
}

type EarlyMeasures = Omit<Props, 'measure' | 'isLower'> & { measures: readonly AnalyticsMeasure[] };

/** Starts to load what the cards of measures need, before they are shown. */
export function useEarlyMeasures({ measures, ...props }: EarlyMeasures): void {
  const { preload } = useResourceCache();
  for (const measure of measures) {
    const { key, load } = readMeasure({ ...props, measure });
    preload(key, load);
  }
}

/** One measure over time: its total, a chart, and the same as a table. */
export function MeasureCard({ metrics, projectId, search, measure, isLower = false }: Props) {
  const { range, unit } = search;
  const { groupBy: by, key, load } = readMeasure({ metrics, projectId, search, measure });
  const found = useResource(key, load);
  const MeasureChart = useLate(measureChart, true, () => {});
  const chart = useRef<HTMLDivElement>(null);
  const { title } = measureWords[measure];
  const { value, error } = found;
  const nameOf = groupNames(by);
  const links = value && linksOf(projectId, value, { kind: measure, by });
  return (
    <Card
      title={title}
      labelId={`${measure}-title`}
      details={
        value && (
          <ExportMenu
            title={title}
            name={[measure.replace('_', '-'), range, unit, by].filter(Boolean).join('-')}
            csv={() => csvOf(value, nameOf)}
            svg={() => chart.current?.querySelector('svg.recharts-surface') ?? null}
          />
        )
      }
    >
      {error !== undefined && (
        <ErrorNote
          title={t`${title} could not be loaded`}
          error={error}
          onRetry={found.refresh}
          isRetrying={found.isFetching}
        />
      )}
      {value === undefined && error === undefined && <BlockLoading height={300} label={t`Loading ${title}`} />}
      {value && links && (
        <>
          <Total analytics={value} measure={measure} range={range} href={links.total} />
          {value.counts.some((count) => count > 0) || value.before?.counts.some((count) => count > 0) ? (
            <figure className={classes.chart}>
              <div aria-hidden="true" ref={chart}>
                {MeasureChart ? (
                  <Later height={chartHeight} isSeenFirst={!isLower}>
                    <MeasureChart analytics={value} title={title} nameOf={nameOf} links={links} height={chartHeight} />
                  </Later>
                ) : (
                  <BlockLoading height={chartHeight} label={t`Loading chart`} />
                )}
              </div>
              <figcaption>
                <Summary analytics={value} measure={measure} />
                <PointsTable analytics={value} title={title} nameOf={nameOf} links={links} />
              </figcaption>
            </figure>
          ) : (
            <p className={classes.nothing}>
              <Trans>
                {measureWords[measure].none} {periods[range].within}.
              </Trans>
            </p>
          )}
        </>
      )}
    </Card>
  );
}

type TotalProps = { analytics: Analytics; measure: AnalyticsMeasure; range: OverviewSearch['range'] };

function Total({ analytics: { total, before, countedSince }, measure, range, href }: TotalProps & LinkProps) {
  const { unit } = measureWords[measure];
  const change = before && describeChange(total, before.total, range);
  const isLate = countedSince !== null && measure === 'active_users';
  return (
    <div className={classes.total}>
      <span className={classes.number}>
        {total && href ? (
          <PlainLink
            href={href}
            className={classes.figureLink}
            aria-label={t`${formatCount(total)} ${unit(total)}: show users`}
          >
            {formatCount(total)}
          </PlainLink>
        ) : total === null ? (
          '–'
        ) : (
          formatCount(total)
        )}
      </span>{' '}
      <Text span size="sm" c="dimmed">
        {[unit(total ?? 0), change].filter(Boolean).join(', ')}
        {isLate && t` · counted since ${formatDay(countedSince)}`}
      </Text>
    </div>
  );
}

/** `href`: of the people. */
type LinkProps = { href: string | null };

/** What a look at the chart tells. */
function Summary({ analytics: { unit, intervals, counts }, measure }: Omit<TotalProps, 'range'>) {
  const { counted } = measureWords[measure];
  const highest = Math.max(...counts);
  const at = intervals[counts.indexOf(highest)];
  const now = new Date();
  return (
    <p className={classes.summary}>
      <Trans>
        {at && t`Highest: ${counted(highest)}, ${longLabel(unit, at, now)}. `}
        Times are in UTC. The last bar is not complete yet.
      </Trans>
    </p>
  );
}
