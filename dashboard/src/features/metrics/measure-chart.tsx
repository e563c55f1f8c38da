import type { Analytics } from '@gatebook/js/admin';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useId } from 'react';
import { Bar, CartesianGrid, Cell, ComposedChart, Line, ResponsiveContainer, Tooltip, XAxis, YAxis } from 'recharts';
import { formatCount } from '../../lib/format.ts';
import { useNavigation } from '../../lib/navigation.ts';
import { type GroupNames, longLabel, shortLabel } from './analytics-text.ts';
import { ChartPatterns, colorOf, fillOf, otherLook, Swatch } from './chart-patterns.tsx';
import { evenTicks } from './even-ticks.ts';
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
  const axis = { tickLine: false, axisLine: false, tick: { fill: 'var(--mantine-color-dimmed)', fontSize: 12 } };
  return (
    <>
      <ResponsiveContainer width="100%" height={height}>
        <ComposedChart data={data} accessibilityLayer={false} margin={{ top: 8, right: 4, bottom: 0, left: 0 }}>
          <ChartPatterns chart={chart} />
          <CartesianGrid vertical={false} stroke="var(--gb-line)" />
          <XAxis {...axis} dataKey="label" interval="equidistantPreserveStart" minTickGap={28} />
          <YAxis {...axis} width={44} ticks={ticks} domain={[0, ticks.at(-1) ?? 0]} tickFormatter={formatCount} />
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
              fill={fillOf(chart, look)}
              maxBarSize={48}
              isAnimationActive={false}
              onClick={({ payload }) => {
                const href = hrefOf(payload?.nth ?? -1, value);
                if (href) go(href);
              }}
            >
              {data.map(({ label, title, isPartial, nth }) => (
                <Cell
                  key={`${label} ${title}`}
                  fill={fillOf(chart, look, isPartial)}
                  cursor={counts[nth] && hrefOf(nth, value) ? 'pointer' : 'default'}
                  {...(isPartial && { stroke: colorOf(look), strokeDasharray: '3 2' })}
                />
              ))}
            </Bar>
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
      </ResponsiveContainer>
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
