import type { Metrics, MetricsClient } from '@gatebook/js/admin';
import { useResource } from '@gatebook/react';
import { t } from '@lingui/core/macro';
import { BlockLoading, Card, ErrorNote } from '../../components/states.tsx';
import { countedHref } from '../../lib/counted-point.ts';
import { methodName } from '../../lib/sign-in-methods.ts';
import { groupName, periods } from './analytics-text.ts';
import classes from './overview-page.module.css';
import type { OverviewSearch } from './overview-search.ts';
import { peopleWithHref, shownGroups } from './people-href.ts';
import { RankedList } from './ranked-list.tsx';

type Props = { value: Metrics; metrics: Pick<MetricsClient, 'count'>; projectId: string; search: OverviewSearch };

/** How and with what people sign in. */
export function Origins({ value, metrics, projectId, search }: Props) {
  const { loginMethods, totalUsers } = value;
  return (
    <div className={classes.halves}>
      <RankedList
        title={t`Sign-in methods`}
        labelId="methods-title"
        // A user can have several methods, so the shares can add up to more than 100%.
        items={loginMethods.map(({ method, count }) => ({
          ...{ name: methodName(method), count },
          href: peopleWithHref(projectId, method),
        }))}
        whole={totalUsers}
        empty={t`No sign-in methods in use yet.`}
      />
      <Devices metrics={metrics} projectId={projectId} search={search} />
    </div>
  );
}

/** The devices of the sign-ins in the range. */
function Devices({ metrics, projectId, search: { range, unit } }: Omit<Props, 'value'>) {
  const found = useResource(['analytics', projectId, 'sign_ins', range, unit, 'device', false], () =>
    metrics.count({ measure: 'sign_ins', range, unit, groupBy: 'device', compare: false }),
  );
  if (found.value === undefined) {
    return (
      <Card title={t`Devices`} labelId="devices-title">
        {found.error === undefined ? (
          <BlockLoading height={160} label={t`Loading devices`} />
        ) : (
          <ErrorNote error={found.error} onRetry={found.refresh} isRetrying={found.isFetching} />
        )}
      </Card>
    );
  }
  const { groups, total, intervals } = found.value;
  const [first, last] = [intervals[0], intervals.at(-1)];
  return (
    <RankedList
      title={t`Devices`}
      labelId="devices-title"
      items={groups.map(({ value, counts }) => ({
        name: groupName('device', value),
        href:
          first && last && (value !== null || groups.length <= shownGroups)
            ? countedHref(projectId, {
                ...{ kind: 'sign_ins', from: first.start, until: last.end },
                group: { by: 'device', value: value ?? '' },
              })
            : null,
        count: counts.reduce((sum, count) => sum + count, 0),
      }))}
      whole={total ?? 0}
      empty={t`No sign-ins ${periods[range].within}.`}
    />
  );
}
