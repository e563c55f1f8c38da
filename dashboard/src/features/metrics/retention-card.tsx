import type { Cohort, MetricsClient } from '@gatebook/js/admin';
import { useResource } from '@gatebook/react';
import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, Text } from '@mantine/core';
import { useState } from 'react';
import { AppLink, PlainLink } from '../../components/app-link.tsx';
import { BlockLoading, Card, ErrorNote } from '../../components/states.tsx';
import { countedHref } from '../../lib/counted-point.ts';
import { formatCount, formatUtcDay } from '../../lib/format.ts';
import { share } from './analytics-text.ts';
import { retentionCsvOf } from './chart-csv.ts';
import { ExportMenu } from './export-menu.tsx';
import classes from './overview-page.module.css';

const weekMs = 7 * 24 * 60 * 60_000;
/** A region that scrolls is reached by keyboard too. */
const scrollable = { tabIndex: 0 };

/** What a cell of the table says. */
type Unit = 'share' | 'count';
type Props = { metrics: Pick<MetricsClient, 'findRetention'>; projectId: string };

/** How many of the users who joined in a week were active in each week since. */
export function RetentionCard({ metrics, projectId }: Props) {
  const found = useResource(['retention', projectId], metrics.findRetention);
  const [unit, setUnit] = useState<Unit>('share');
  const cohorts = (found.value ?? []).filter(({ users }) => users > 0);
  return (
    <Card
      title={t`Retention by week`}
      labelId="retention-title"
      details={
        cohorts.length > 0 && (
          <>
            <Button
              size="compact-sm"
              variant="subtle"
              onClick={() => setUnit((shown) => (shown === 'share' ? 'count' : 'share'))}
            >
              {unit === 'share' ? t`Show counts` : t`Show shares`}
            </Button>
            <ExportMenu title={t`Retention by week`} name="retention" csv={() => retentionCsvOf(cohorts)} />
          </>
        )
      }
    >
      {found.error !== undefined && (
        <ErrorNote error={found.error} onRetry={found.refresh} isRetrying={found.isFetching} />
      )}
      {found.value === undefined && found.error === undefined && (
        <BlockLoading height={240} label={t`Loading retention`} />
      )}
      {found.value && cohorts.length === 0 && (
        <Text size="sm" c="dimmed">
          <Trans>Nobody signed up in the last twelve weeks.</Trans>
        </Text>
      )}
      {cohorts.length > 0 && <Grid cohorts={cohorts} projectId={projectId} unit={unit} />}
    </Card>
  );
}

type GridProps = { cohorts: readonly Cohort[]; projectId: string; unit: Unit };

function Grid({ cohorts, projectId, unit }: GridProps) {
  const weeks = Array.from({ length: Math.max(...cohorts.map(({ active }) => active.length)) }, (_, week) => week);
  return (
    <>
      <section className={classes.scrolled} aria-label={t`Retention by week, table`} {...scrollable}>
        <table className={classes.grid}>
          <thead>
            <tr>
              <th scope="col">
                <Trans>Signed up</Trans>
              </th>
              <th scope="col">
                <Trans>Users</Trans>
              </th>
              {weeks.map((week) => (
                <th key={week} scope="col">
                  {week === 0 ? t`Same week` : `+${week}`}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {cohorts.map(({ start, users, active }) => {
              const end = new Date(start.getTime() + weekMs);
              const href = countedHref(projectId, { kind: 'joined', from: start, until: end });
              const label = formatUtcDay(start.toISOString().slice(0, 10));
              return (
                <tr key={start.getTime()}>
                  <th scope="row">{href && users > 0 ? <AppLink href={href}>{label}</AppLink> : label}</th>
                  <td>{formatCount(users)}</td>
                  {weeks.slice(0, active.length).map((week) => (
                    <Cell
                      key={week}
                      count={active[week] ?? null}
                      users={users}
                      unit={unit}
                      isPresent={week === active.length - 1}
                      href={activeHref(projectId, start, week)}
                      label={week === 0 ? t`${label}, same week` : t`${label}, +${week}`}
                    />
                  ))}
                </tr>
              );
            })}
          </tbody>
        </table>
      </section>
      <Text size="xs" c="dimmed" mt="xs">
        {unit === 'share' ? (
          <Trans>
            Share of the users of a week (UTC, from Monday) who were active in it and in each week since. The last share
            of a row is of this week, so far. A dash: not counted yet.
          </Trans>
        ) : (
          <Trans>
            Number of the users of a week (UTC, from Monday) who were active in it and in each week since. The last
            number of a row is of this week, so far. A dash: not counted yet.
          </Trans>
        )}
      </Text>
    </>
  );
}

/** The people who joined in the week of `start` and were active so many weeks later. */
const activeHref = (projectId: string, start: Date, week: number) =>
  countedHref(projectId, {
    kind: 'active_users',
    from: new Date(start.getTime() + week * weekMs),
    until: new Date(start.getTime() + (week + 1) * weekMs),
    group: { by: 'cohort', value: start.toISOString().slice(0, 10) },
  });

type CellProps = {
  count: number | null;
  users: number;
  unit: Unit;
  isPresent: boolean;
  href: string | null;
  label: string;
};

function Cell({ count, users, unit, isPresent, href, label }: CellProps) {
  if (count === null) return <td>–</td>;
  const text = unit === 'share' ? share(count, users) : formatCount(count);
  const depth = Math.round((100 * Math.min(count, users)) / Math.max(users, 1));
  return (
    <td
      className={classes.cell}
      title={t`${plural(count, { one: '# user', other: '# users' })} of ${formatCount(users)}${isPresent ? t`, so far` : ''}`}
      style={{ '--depth': `${depth * 0.55}%` } as React.CSSProperties}
      data-present={isPresent || undefined}
    >
      {href && count > 0 ? (
        <PlainLink href={href} aria-label={`${text}: ${label}`}>
          {text}
        </PlainLink>
      ) : (
        text
      )}
    </td>
  );
}
