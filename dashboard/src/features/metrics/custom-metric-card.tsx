import type { Analytics, CustomMetric, CustomMetricsClient, CustomMetricValues } from '@gatebook/js/admin';
import { useResource } from '@gatebook/react';
import { select, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { ActionIcon, Menu, Text } from '@mantine/core';
import { IconDots } from '@tabler/icons-react';
import { lazy, Suspense, useRef } from 'react';
import { BlockLoading, Card, ErrorNote } from '../../components/states.tsx';
import { formatCount, formatPercent } from '../../lib/format.ts';
import { usePolling } from '../../lib/use-polling.ts';
import { longLabel } from './analytics-text.ts';
import { csvOf } from './chart-csv.ts';
import { eventLinksOf } from './custom-metric-links.ts';
import { describeMetric, namesBy } from './custom-metric-text.ts';
import { ExportMenu } from './export-menu.tsx';
import classes from './overview-page.module.css';
import { PointsTable } from './points-table.tsx';

const MeasureChart = lazy(async () => ({ default: (await import('./measure-chart.tsx')).MeasureChart }));
const chartHeight = 200;
const pollMs = 2_000;

type Props = {
  metric: CustomMetric;
  client: Pick<CustomMetricsClient, 'findValues'>;
  projectId: string;
  onEdit: () => void;
  onDelete: () => void;
};

/** A custom metric over its last 30 intervals, while it is counted and after. */
export function CustomMetricCard({ metric, client, projectId, onEdit, onDelete }: Props) {
  const { id, displayName, updatedAt } = metric;
  const found = useResource(['custom-metric', projectId, id, updatedAt.getTime()], () => client.findValues(id));
  const { value, error } = found;
  usePolling(found.refresh, pollMs, value?.isComplete === false);
  const chart = useRef<HTMLDivElement>(null);
  const nameOf = namesBy(metric.groupBy);
  const analytics = value && toAnalytics(value);
  const links = value && eventLinksOf(projectId, metric, value);
  return (
    <Card
      title={displayName}
      labelId={`metric-${id}`}
      details={
        analytics && (
          <ExportMenu
            title={displayName}
            name={`metric-${metric.unit}`}
            csv={() => csvOf(analytics, nameOf)}
            svg={() => chart.current?.querySelector('svg.recharts-surface') ?? null}
          />
        )
      }
      actions={<MetricMenu name={displayName} onEdit={onEdit} onDelete={onDelete} />}
    >
      <Text size="sm" c="dimmed" mb="xs" className={classes.described}>
        {describeMetric(metric)}
      </Text>
      {error !== undefined && <ErrorNote error={error} onRetry={found.refresh} isRetrying={found.isFetching} />}
      {value === undefined && error === undefined && <BlockLoading height={260} label={t`Loading ${displayName}`} />}
      {value && !value.isComplete && <Filling progress={value.progress} name={displayName} />}
      {analytics?.counts.some((count) => count > 0) && links && (
        <figure className={classes.chart}>
          <div aria-hidden="true" ref={chart}>
            <Suspense fallback={<BlockLoading height={chartHeight} label={t`Loading chart`} />}>
              <MeasureChart {...{ analytics, nameOf, links }} title={displayName} height={chartHeight} />
            </Suspense>
          </div>
          <figcaption>
            <Summary analytics={analytics} />
            <PointsTable {...{ analytics, nameOf, links }} title={displayName} />
          </figcaption>
        </figure>
      )}
      {value?.isComplete && value.counts.every((count) => count === 0) && (
        <p className={classes.nothing}>
          {select(metric.unit, {
            hour: 'Nothing was counted in the last 30 hours.',
            day: 'Nothing was counted in the last 30 days.',
            week: 'Nothing was counted in the last 30 weeks.',
            other: 'Nothing was counted in the last 30 months.',
          })}
        </p>
      )}
    </Card>
  );
}

/** Nobody's list is known: users are counted, not kept. */
const toAnalytics = ({ unit, intervals, total, counts, groups }: CustomMetricValues): Analytics => ({
  ...{ unit, total, counts, groups, before: null, countedSince: null },
  intervals: intervals.map((interval) => ({ ...interval, people: null })),
});

type MenuProps = { name: string; onEdit: () => void; onDelete: () => void };

const MetricMenu = ({ name, onEdit, onDelete }: MenuProps) => (
  <Menu position="bottom-end" withinPortal>
    <Menu.Target>
      <ActionIcon variant="subtle" color="gray" aria-label={t`Actions of ${name}`}>
        <IconDots size={16} aria-hidden />
      </ActionIcon>
    </Menu.Target>
    <Menu.Dropdown>
      <Menu.Item onClick={onEdit}>
        <Trans>Edit metric</Trans>
      </Menu.Item>
      <Menu.Item color="red" onClick={onDelete}>
        <Trans>Delete metric</Trans>
      </Menu.Item>
    </Menu.Dropdown>
  </Menu>
);

function Filling({ progress, name }: { progress: number; name: string }) {
  const percent = Math.floor(progress * 100);
  const done = formatPercent(percent / 100);
  return (
    <div className={classes.filling}>
      <Text size="sm" role="status">
        <Trans>Counting past events: {done}. The numbers still grow.</Trans>
      </Text>
      <progress
        value={percent}
        max={100}
        aria-label={t`Past events counted for ${name}`}
        className={classes.progress}
      />
    </div>
  );
}

/** What a look at the chart tells. */
function Summary({ analytics: { unit, intervals, counts, total } }: { analytics: Analytics }) {
  const highest = Math.max(...counts);
  const at = intervals[counts.indexOf(highest)];
  return (
    <p className={classes.summary}>
      <Trans>
        {total !== null && t`Total: ${formatCount(total)}. `}
        {at && t`Highest: ${formatCount(highest)}, ${longLabel(unit, at, new Date())}. `}
        Times are in UTC. The last bar is not complete yet.
      </Trans>
    </p>
  );
}
