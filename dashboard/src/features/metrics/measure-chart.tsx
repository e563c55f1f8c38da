import type { Analytics } from '@gatebook/js/admin';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useId, useLayoutEffect, useRef, useState } from 'react';
import {
  Bar,
  type BarShapeProps,
  CartesianGrid,
  ComposedChart,
  Line,
  Tooltip,
  XAxis,
  type XAxisTickContentProps,
  YAxis,
} from 'recharts';
import { formatCount } from '../../lib/format.ts';
import { useNavigation } from '../../lib/navigation.ts';
import { type GroupNames, longLabel, shortLabel } from './analytics-text.ts';
import { ChartPatterns, colorOf, fillOf, otherLook, Swatch } from './chart-patterns.tsx';
import { evenTicks } from './even-ticks.ts';
import { labelStep } from './label-step.ts';
import classes from './overview-page.module.css';
import type { PointLinks } from './people-href.ts';

type Props = {
  analytics: Analytics;
  title: string;
  /** null: bars have no parts. */
  nameOf: GroupNames | null;
  links: PointLinks;
  height: number;
};
/** `value`: of the only group; undefined for the whole, or for several groups. */
type Part = { key: string; name: string; look: number; counts: readonly number[]; value?: string | null };

const axisWidth = 44;
const margin = { top: 8, right: 4, bottom: 0, left: 0 };

/** Bars per interval, the period before as a dashed line. A bar leads to what it counts. */
export function MeasureChart({ analytics, title, nameOf, links, height }: Props) {
  const chart = `chart${useId().replace(/\W/g, '')}`;
  const { go } = useNavigation();
  const { unit, intervals, before } = analytics;
  const parts = partsOf(analytics, title, nameOf);
  const hrefOf = (nth: number, value: string | null | undefined) =>
    value === undefined ? links.interval(nth) : links.group(nth, value);
  const now = new Date();
  const data = intervals.map((interval, nth) => ({
    label: shortLabel(unit, interval),
    title: longLabel(unit, interval, now),
    nth,
    isPartial: interval.end > now,
    ...Object.fromEntries(parts.map(({ key, counts }) => [key, counts[nth] ?? 0])),
    ...(before && { before: before.counts[nth] ?? 0 }),
  }));
  // Parts of a bar can overlap: a user can be in several.
  const heights = intervals.map((_, nth) => parts.reduce((sum, { counts }) => sum + (counts[nth] ?? 0), 0));
  const ticks = evenTicks(Math.max(0, ...heights, ...(before?.counts ?? [])));
  const { frame, width } = useWidth();
  // Recharts would measure every label, each with a layout of the page. So it is told how many to leave out, that there
  // are no vertical lines, and how to draw labels.
  const step = labelStep(
    data.map(({ label }) => label),
    width - axisWidth - margin.right,
  );
  const axis = { tickLine: false, axisLine: false };
  return (
    <>
      <div ref={frame} className={classes.plot} style={{ height }}>
        {width > 0 && (
          <ComposedChart width={width} height={height} data={data} accessibilityLayer={false} margin={margin}>
            <ChartPatterns chart={chart} />
            <CartesianGrid vertical={false} verticalCoordinatesGenerator={() => []} stroke="var(--gb-line)" />
            <XAxis
              {...axis}
              dataKey="label"
              interval={step - 1}
              tick={(props) => <AxisLabel {...props} dy="0.71em" />}
            />
            <YAxis
              {...axis}
              width={axisWidth}
              interval={0}
              ticks={ticks}
              domain={[0, ticks.at(-1) ?? 0]}
              tick={(props) => <AxisLabel {...props} dy="0.355em" />}
              tickFormatter={formatCount}
            />
            <Tooltip
              cursor={{ fill: 'var(--gb-hover)' }}
              isAnimationActive={false}
              content={({ active, payload }) => (
                <PointTip isShown={active} title={payload[0]?.payload?.title} entries={payload} />
              )}
            />
            {parts.map(({ key, name, look, value, counts }) => (
              <Bar
                key={key}
                dataKey={key}
                name={name}
                stackId="parts"
                maxBarSize={48}
                isAnimationActive={false}
                onClick={({ payload }) => {
                  const href = hrefOf(payload?.nth ?? -1, value);
                  if (href) go(href);
                }}
                shape={(bar: BarShapeProps) => {
                  const { isPartial, nth } = bar.payload;
                  return (
                    <BarShape
                      bar={bar}
                      fill={fillOf(chart, look, isPartial)}
                      cursor={counts[nth] && hrefOf(nth, value) ? 'pointer' : 'default'}
                      {...(isPartial && { stroke: colorOf(look), strokeDasharray: '3 2' })}
                    />
                  );
                }}
              />
            ))}
            {before && (
              <Line
                dataKey="before"
                name={t`Period before`}
                type="linear"
                stroke="var(--mantine-color-text)"
                strokeWidth={1.5}
                strokeDasharray="4 3"
                dot={false}
                isAnimationActive={false}
              />
            )}
          </ComposedChart>
        )}
      </div>
      {(nameOf || before) && (
        <ul className={classes.legend}>
          {nameOf &&
            parts.map(({ key, name, look }) => (
              <li key={key}>
                <Swatch chart={chart} nth={look} /> {name}
              </li>
            ))}
          {before && (
            <li>
              <Trans>┄ Period before</Trans>
            </li>
          )}
        </ul>
      )}
    </>
  );
}

/** The width of what `frame` refers to, in pixels. 0 before it is known. */
function useWidth() {
  const frame = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    const element = frame.current;
    if (!element) return;
    const measure = (): void => setWidth(element.clientWidth);
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return { frame, width };
}

type AxisLabelProps = Pick<XAxisTickContentProps, 'x' | 'y' | 'textAnchor' | 'payload' | 'index' | 'tickFormatter'> & {
  dy: string;
};

function AxisLabel({ x, y, dy, textAnchor, payload, index, tickFormatter }: AxisLabelProps) {
  return (
    <text x={x} y={y} dy={dy} textAnchor={textAnchor} className={classes.axisLabel}>
      {tickFormatter ? tickFormatter(payload.value, index) : payload.value}
    </text>
  );
}

type BarLookProps = { fill: string; cursor: string; stroke?: string; strokeDasharray?: string };

/** Lighter than the rectangle of recharts, which measures itself for animations. */
function BarShape({ bar: { x, y, width, height }, ...look }: { bar: BarShapeProps } & BarLookProps) {
  return height === 0 ? null : <rect x={x} y={y} width={width} height={height} {...look} />;
}

/** The stacked parts of each bar: the largest groups, and the rest as one. */
function partsOf({ counts, groups }: Analytics, title: string, nameOf: GroupNames | null): Part[] {
  if (!nameOf) return [{ key: 'count', name: title, look: 0, counts }];
  const shown = groups.filter(({ value }) => value !== null).slice(0, otherLook);
  const rest = groups.filter((group) => !shown.includes(group));
  const others = counts.map((_, nth) => rest.reduce((sum, group) => sum + (group.counts[nth] ?? 0), 0));
  const parts = shown.map((group, look) => ({
    key: `group${look}`,
    name: nameOf(group.value),
    look,
    counts: group.counts,
    value: group.value,
  }));
  if (rest.length === 0) return parts;
  return [
    ...parts,
    {
      key: 'others',
      name: nameOf(null),
      look: otherLook,
      counts: others,
      ...(rest.length === 1 && { value: rest[0]?.value }),
    },
  ];
}

type Entry = { dataKey?: unknown; name?: unknown; value?: unknown };
type TipProps = { isShown: boolean; title: unknown; entries: readonly Entry[] };

function PointTip({ isShown, title, entries }: TipProps) {
  if (!isShown) return null;
  return (
    <div className={classes.tip}>
      <strong>{String(title)}</strong>
      {entries.map(({ dataKey, name, value }) => (
        <div key={String(dataKey)}>
          {String(name)}: {formatCount(Number(value))}
        </div>
      ))}
    </div>
  );
}
