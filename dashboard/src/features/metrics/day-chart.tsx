import { AreaChart, BarChart } from '@mantine/charts';
import '@mantine/charts/styles.layer.css';
import type { DayCount } from '@gatebook/js/admin';
import { VisuallyHidden } from '@mantine/core';
import { formatCount, formatUtcDay, plural } from '../../lib/format.ts';
import { evenTicks } from './even-ticks.ts';

type DayChartProps = { kind: 'bars' | 'area'; days: readonly DayCount[]; one: string; many: string };

/** A chart of 31 days, with a text summary and a table for screen readers. */
export function DayChart({ kind, days, one, many }: DayChartProps) {
  const data = days.map(({ date, count }) => ({ day: formatUtcDay(date), count }));
  const highest = Math.max(...days.map(({ count }) => count), 0);
  const ticks = evenTicks(highest);
  const common = {
    h: 220,
    data,
    dataKey: 'day',
    series: [{ name: 'count', label: many, color: kind === 'bars' ? 'var(--gb-chart)' : 'var(--gb-chart-soft)' }],
    valueFormatter: formatCount,
    tickLine: 'none' as const,
    gridAxis: 'x' as const,
    xAxisProps: { interval: 'preserveStartEnd' as const, minTickGap: 28 },
    yAxisProps: { width: 40, ticks, domain: [0, ticks.at(-1) ?? 0] as [number, number] },
    tooltipAnimationDuration: 120,
  };
  const total = days.reduce((sum, { count }) => sum + count, 0);
  return (
    <figure style={{ margin: 0 }}>
      <div aria-hidden="true">
        {kind === 'bars' ? (
          <BarChart {...common} barProps={{ radius: [2, 2, 0, 0], isAnimationActive: false }} />
        ) : (
          <AreaChart
            {...common}
            withDots={false}
            curveType="monotone"
            strokeWidth={2}
            areaProps={{ isAnimationActive: false }}
          />
        )}
      </div>
      <VisuallyHidden component="figcaption">
        {kind === 'bars' ? `${plural(total, one, many)} in the last 31 days. ` : ''}
        {`Daily maximum: ${formatCount(highest)}.`}
        <table>
          <tbody>
            {data.map(({ day, count }) => (
              <tr key={day}>
                <th scope="row">{day}</th>
                <td>{plural(count, one, many)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </VisuallyHidden>
    </figure>
  );
}
