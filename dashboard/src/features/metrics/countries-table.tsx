import type { Metrics } from '@gatebook/js/admin';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { AppLink } from '../../components/app-link.tsx';
import { countryName } from '../../lib/country-name.ts';
import { formatCount } from '../../lib/format.ts';
import { share } from './analytics-text.ts';
import overview from './overview-page.module.css';
import { peopleInHref, unknownCountry } from './people-href.ts';
import classes from './world-map.module.css';

type Props = {
  countries: Metrics['usersByCountry'];
  /** Users of whom no country is known. */
  unknown: number;
  total: number;
  projectId: string;
  chosen: string | null;
  onPoint: (country: string | null) => void;
};

/** All numbers of the map. Each country leads to its users. */
export function CountriesTable({ countries, unknown, total, projectId, chosen, onPoint }: Props) {
  return (
    <section className={`${overview.scrolled} ${classes.table}`} aria-label={t`Users by country, table`}>
      <table>
        <thead>
          <tr>
            <th scope="col">
              <Trans>Country</Trans>
            </th>
            <th scope="col">
              <Trans>Users</Trans>
            </th>
            <th scope="col">
              <Trans>Share</Trans>
            </th>
          </tr>
        </thead>
        <tbody>
          {countries.map(({ country, count }) => (
            <tr
              key={country}
              onPointerEnter={() => onPoint(country)}
              onPointerLeave={() => onPoint(null)}
              onFocus={() => onPoint(country)}
              onBlur={() => onPoint(null)}
              {...(country === chosen && { 'data-chosen': true })}
            >
              <th scope="row">
                <AppLink href={peopleInHref(projectId, country)}>{countryName(country)}</AppLink>
              </th>
              <td>{formatCount(count)}</td>
              <td>{share(count, total)}</td>
            </tr>
          ))}
          {unknown > 0 && (
            <tr>
              <th scope="row">
                <AppLink href={peopleInHref(projectId, unknownCountry)}>
                  <Trans>Unknown</Trans>
                </AppLink>
              </th>
              <td>{formatCount(unknown)}</td>
              <td>{share(unknown, total)}</td>
            </tr>
          )}
        </tbody>
      </table>
    </section>
  );
}
