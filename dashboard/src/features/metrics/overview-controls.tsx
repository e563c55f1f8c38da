import { analyticsGroupings, analyticsRanges } from '@gatebook/contract/analytics-ranges';
import { t } from '@lingui/core/macro';
import { NativeSelect, Switch } from '@mantine/core';
import { PlainLink } from '../../components/app-link.tsx';
import { useNavigation } from '../../lib/navigation.ts';
import { groupingLabels, periods, unitNames } from './analytics-text.ts';
import classes from './overview-page.module.css';
import { type OverviewSearch, overviewHref, unitsOf } from './overview-search.ts';

type Props = { projectId: string; search: OverviewSearch };

/** What the charts show. All of it is in the URL. */
export function OverviewControls({ projectId, search }: Props) {
  const { go } = useNavigation();
  const show = (change: Partial<OverviewSearch>): void =>
    go(overviewHref(projectId, { ...search, ...change }), { replace: true });
  return (
    <div className={classes.controls}>
      <nav aria-label={t`Range`} className={classes.ranges}>
        {analyticsRanges.map((range) => (
          <PlainLink
            key={range}
            replace
            href={overviewHref(projectId, { ...search, range, unit: unitsOf(range)[0] ?? 'day' })}
            {...(range === search.range && { 'aria-current': 'true' })}
          >
            {periods[range].name}
          </PlainLink>
        ))}
      </nav>
      {unitsOf(search.range).length > 1 && (
        <NativeSelect
          aria-label={t`Interval`}
          size="xs"
          data={unitsOf(search.range).map((unit) => ({ value: unit, label: unitNames[unit] }))}
          value={search.unit}
          onChange={({ currentTarget }) =>
            show({ unit: unitsOf(search.range).find((unit) => unit === currentTarget.value) ?? search.unit })
          }
        />
      )}
      <NativeSelect
        aria-label={t`Group by`}
        size="xs"
        data={[
          { value: '', label: t`Not grouped` },
          ...analyticsGroupings.map((value) => ({ value, label: groupingLabels[value] })),
        ]}
        value={search.by ?? ''}
        onChange={({ currentTarget }) =>
          show({ by: analyticsGroupings.find((grouping) => grouping === currentTarget.value) ?? null })
        }
      />
      <Switch
        size="xs"
        label={t`Compare with the period before`}
        checked={search.isCompared}
        onChange={({ currentTarget }) => show({ isCompared: currentTarget.checked })}
      />
    </div>
  );
}
