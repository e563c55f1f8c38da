import type { Analytics } from '@gatebook/js/admin';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { AppLink } from '../../components/app-link.tsx';
import { formatCount } from '../../lib/format.ts';
import { type GroupNames, longLabel } from './analytics-text.ts';
import classes from './overview-page.module.css';
import type { PointLinks } from './people-href.ts';

type Props = { analytics: Analytics; title: string; nameOf: GroupNames | null; links: PointLinks };

/** All numbers of a chart, newest first, with links to what they count. */
export function PointsTable({ analytics, title, nameOf, links }: Props) {
  const { unit, intervals, counts, groups, before } = analytics;
  const now = new Date();
  return (
    <details className={classes.points}>
      <summary>
        <Trans>Show as table</Trans>
      </summary>
      <div className={classes.scrolled}>
        <table>
          <caption>{title}</caption>
          <thead>
            <tr>
              <th scope="col">
                <Trans>Time</Trans>
              </th>
              <th scope="col">{title}</th>
              {before && (
                <th scope="col">
                  <Trans>Period before</Trans>
                </th>
              )}
              {nameOf &&
                groups.map(({ value }) => (
                  <th key={value} scope="col">
                    {nameOf(value)}
                  </th>
                ))}
            </tr>
          </thead>
          <tbody>
            {intervals
              .map((interval, nth) => {
                const href = links.interval(nth);
                const label = longLabel(unit, interval, now);
                return (
                  <tr key={interval.start.getTime()}>
                    <th scope="row">{href && counts[nth] ? <AppLink href={href}>{label}</AppLink> : label}</th>
                    <td>{formatCount(counts[nth] ?? 0)}</td>
                    {before && (
                      <td>
                        <CountLink
                          count={before.counts[nth] ?? 0}
                          href={links.before(nth)}
                          of={before.intervals[nth] ? longLabel(unit, before.intervals[nth], now) : ''}
                        />
                      </td>
                    )}
                    {nameOf &&
                      groups.map(({ value, counts }) => (
                        <td key={value}>
                          <CountLink
                            count={counts[nth] ?? 0}
                            href={links.group(nth, value)}
                            of={t`${nameOf(value)}, ${label}`}
                          />
                        </td>
                      ))}
                  </tr>
                );
              })
              .reverse()}
          </tbody>
        </table>
      </div>
    </details>
  );
}

type CountLinkProps = { count: number; href: string | null; of: string };

/** A number that leads to what it counts, if there is a list of that. */
function CountLink({ count, href, of }: CountLinkProps) {
  const text = formatCount(count);
  if (!href || count === 0) return text;
  return (
    <AppLink href={href} aria-label={t`${text}, ${of}`}>
      {text}
    </AppLink>
  );
}
