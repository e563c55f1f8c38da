import type { AnalyticsRange } from '@gatebook/contract/analytics-ranges';
import type { Funnel, MetricsClient } from '@gatebook/js/admin';
import { useResource } from '@gatebook/react';
import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Text } from '@mantine/core';
import { AppLink } from '../../components/app-link.tsx';
import { BlockLoading, Card, ErrorNote } from '../../components/states.tsx';
import { type CountedKind, countedHref } from '../../lib/counted-point.ts';
import { formatCount } from '../../lib/format.ts';
import { periods, share } from './analytics-text.ts';
import { funnelCsvOf } from './chart-csv.ts';
import { ExportMenu } from './export-menu.tsx';
import classes from './overview-page.module.css';

type Props = { metrics: Pick<MetricsClient, 'findFunnel'>; projectId: string; range: AnalyticsRange };

/** From the sign-up to the return on another day. */
export function FunnelCard({ metrics, projectId, range }: Props) {
  const found = useResource(['funnel', projectId, range], () => metrics.findFunnel(range));
  const { value } = found;
  return (
    <Card
      title={t`From sign-up to return`}
      labelId="funnel-title"
      details={
        value &&
        value.signedUp > 0 && (
          <ExportMenu title={t`From sign-up to return`} name={`funnel-${range}`} csv={() => funnelCsvOf(value)} />
        )
      }
    >
      {found.error !== undefined && (
        <ErrorNote error={found.error} onRetry={found.refresh} isRetrying={found.isFetching} />
      )}
      {value === undefined && found.error === undefined && <BlockLoading height={160} label={t`Loading funnel`} />}
      {value?.signedUp === 0 && (
        <Text size="sm" c="dimmed">
          <Trans>Nobody signed up {periods[range].within}.</Trans>
        </Text>
      )}
      {value && value.signedUp > 0 && <Steps funnel={value} projectId={projectId} />}
    </Card>
  );
}

const dayMs = 86_400_000;

function Steps({ funnel, projectId }: { funnel: Funnel; projectId: string }) {
  const { start, signedUp, verified, returned, isComplete } = funnel;
  const until = new Date(Math.ceil((Date.now() + 1) / dayMs) * dayMs);
  const hrefOf = (kind: CountedKind) => countedHref(projectId, { kind, from: start, until });
  const steps = [
    { name: t`Signed up`, kind: 'joined', count: signedUp, of: null },
    { name: t`Verified their email`, kind: 'verified', count: verified, of: signedUp },
    { name: t`Came back on another day`, kind: 'returned', count: returned, of: verified },
  ] as const;
  return (
    <>
      <ol className={classes.methods}>
        {steps.map(({ name, kind, count, of }) => {
          const href = count > 0 ? hrefOf(kind) : null;
          return (
            <li key={name}>
              <div className={classes.methodHead}>
                <span>{href ? <AppLink href={href}>{name}</AppLink> : name}</span>
                <Text span size="sm" c="dimmed">
                  {formatCount(count)}
                  {of !== null && t` · ${share(count, of)} of the step before`}
                </Text>
              </div>
              <div className={classes.funnelBar}>
                <div className={classes.barFill} style={{ width: `${(100 * count) / signedUp}%` }} />
              </div>
            </li>
          );
        })}
      </ol>
      {!isComplete && (
        <Text size="xs" c="dimmed" mt="xs">
          <Trans>Of the newest {plural(signedUp, { one: '# user', other: '# users' })}.</Trans>
        </Text>
      )}
    </>
  );
}
