import type { AnalyticsRange } from '@gatebook/contract/analytics-ranges';
import type { Funnel, MetricsClient } from '@gatebook/js/admin';
import { useResource } from '@gatebook/react';
import { Text } from '@mantine/core';
import { BlockLoading, Card, ErrorNote } from '../../components/states.tsx';
import { formatCount, plural } from '../../lib/format.ts';
import { rangeNames, share } from './analytics-text.ts';
import classes from './overview-page.module.css';

type Props = { metrics: Pick<MetricsClient, 'findFunnel'>; projectId: string; range: AnalyticsRange };

/** From the sign-up to the return on another day. */
export function FunnelCard({ metrics, projectId, range }: Props) {
  const found = useResource(['funnel', projectId, range], () => metrics.findFunnel(range));
  return (
    <Card title="From sign-up to return" labelId="funnel-title">
      {found.error !== undefined && (
        <ErrorNote error={found.error} onRetry={found.refresh} isRetrying={found.isFetching} />
      )}
      {found.value === undefined && found.error === undefined && <BlockLoading height={160} label="Loading funnel" />}
      {found.value?.signedUp === 0 && (
        <Text size="sm" c="dimmed">
          Nobody signed up in the last {rangeNames[range]}.
        </Text>
      )}
      {found.value && found.value.signedUp > 0 && <Steps funnel={found.value} />}
    </Card>
  );
}

function Steps({ funnel: { signedUp, verified, returned, isComplete } }: { funnel: Funnel }) {
  const steps = [
    { name: 'Signed up', count: signedUp, of: null },
    { name: 'Verified their email', count: verified, of: signedUp },
    { name: 'Came back on another day', count: returned, of: verified },
  ];
  return (
    <>
      <ol className={classes.methods}>
        {steps.map(({ name, count, of }) => (
          <li key={name}>
            <div className={classes.methodHead}>
              <span>{name}</span>
              <Text span size="sm" c="dimmed">
                {formatCount(count)}
                {of !== null && ` · ${share(count, of)} of the step before`}
              </Text>
            </div>
            <div className={classes.funnelBar}>
              <div className={classes.barFill} style={{ width: `${(100 * count) / signedUp}%` }} />
            </div>
          </li>
        ))}
      </ol>
      {!isComplete && (
        <Text size="xs" c="dimmed" mt="xs">
          Of the newest {plural(signedUp, 'user')}.
        </Text>
      )}
    </>
  );
}
