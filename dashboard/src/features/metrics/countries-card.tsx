import type { Metrics } from '@gatebook/js/admin';
import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Text } from '@mantine/core';
import { type CSSProperties, lazy, type ReactNode, Suspense, useRef, useState } from 'react';
import { AppLink } from '../../components/app-link.tsx';
import { BlockLoading, Card } from '../../components/states.tsx';
import { countryName } from '../../lib/country-name.ts';
import { formatCount } from '../../lib/format.ts';
import { share } from './analytics-text.ts';
import { countriesCsvOf } from './chart-csv.ts';
import { CountriesTable } from './countries-table.tsx';
import { depthOf, levelsOf } from './country-levels.ts';
import { ExportMenu } from './export-menu.tsx';
import { peopleInHref } from './people-href.ts';
import classes from './world-map.module.css';

const WorldMap = lazy(async () => ({ default: (await import('./world-map.tsx')).WorldMap }));
const mostHeight = 440;

type Props = { metrics: Pick<Metrics, 'usersByCountry' | 'totalUsers'>; projectId: string };

/** Users by the country of their latest activity: on a map, and the same as a table. */
export function CountriesCard({ metrics: { usersByCountry: countries, totalUsers }, projectId }: Props) {
  const map = useRef<HTMLDivElement>(null);
  const [pointed, setPointed] = useState<string | null>(null);
  const [chosen, setChosen] = useState<string | null>(null);
  const shown = pointed ?? chosen;
  const counts = new Map(countries.map(({ country, count }) => [country, count]));
  const levels = levelsOf([...counts.values()]);
  const unknown = Math.max(0, totalUsers - countries.reduce((sum, { count }) => sum + count, 0));
  return (
    <Card
      title={t`Users by country`}
      labelId="countries-title"
      details={
        countries.length > 0 && (
          <ExportMenu
            title={t`Users by country`}
            name="users-by-country"
            csv={() => countriesCsvOf(countries, unknown)}
            svg={() => map.current?.querySelector('svg') ?? null}
          />
        )
      }
    >
      {countries.length === 0 ? (
        <Text size="sm" c="dimmed">
          <Trans>No country is known yet. Countries come from the proxy or a database of addresses.</Trans>
        </Text>
      ) : (
        <div className={classes.parts}>
          <div>
            <div ref={map}>
              <Suspense fallback={<MapLoading />}>
                <WorldMap counts={counts} levels={levels} chosen={shown} onPoint={setPointed} onChoose={setChosen} />
              </Suspense>
            </div>
            <p className={classes.chosen}>
              {shown === null ? (
                <Text span size="sm" c="dimmed">
                  <Trans>Point at a country or tap it.</Trans>
                </Text>
              ) : (
                <Chosen country={shown} count={counts.get(shown) ?? 0} total={totalUsers}>
                  <AppLink href={peopleInHref(projectId, shown)}>
                    <Trans>Show users</Trans>
                  </AppLink>
                </Chosen>
              )}
            </p>
            <Legend levels={levels} />
          </div>
          <CountriesTable
            countries={countries}
            unknown={unknown}
            total={totalUsers}
            projectId={projectId}
            chosen={shown}
            onPoint={setPointed}
          />
        </div>
      )}
    </Card>
  );
}

/** As high as the map will be. */
const MapLoading = () => (
  <div className={classes.place}>
    <BlockLoading height={mostHeight} label={t`Loading map`} />
  </div>
);

type ChosenProps = { country: string; count: number; total: number; children: ReactNode };

const Chosen = ({ country, count, total, children }: ChosenProps) => (
  <>
    <strong>{countryName(country)}</strong>: {plural(count, { one: '# user', other: '# users' })} ·{' '}
    {share(count, total)} · {children}
  </>
);

function Legend({ levels }: { levels: readonly number[] }) {
  return (
    <ul className={classes.legend} aria-label={t`Users`}>
      {[0, ...levels].map((lowest, nth, all) => {
        const next = all[nth + 1];
        const last = next === undefined ? null : next - 1;
        return (
          <li key={lowest}>
            <span
              className={classes.swatch}
              style={{ '--depth': `${100 * depthOf(lowest, levels)}%` } as CSSProperties}
            />
            {last === null
              ? t`${formatCount(lowest)} or more`
              : last === lowest
                ? formatCount(lowest)
                : `${formatCount(lowest)}–${formatCount(last)}`}
          </li>
        );
      })}
    </ul>
  );
}
