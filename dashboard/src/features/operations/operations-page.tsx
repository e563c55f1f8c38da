import type { Operations, OperationsClient, Subscription } from '@gatebook/js/admin';
import { useResource } from '@gatebook/react';
import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Page } from '../../components/page.tsx';
import { BlockLoading, Card, ErrorNote } from '../../components/states.tsx';
import { StatusDot } from '../../components/status-dot.tsx';
import { formatCount } from '../../lib/format.ts';
import { usePolling } from '../../lib/use-polling.ts';
import { useTitle } from '../../lib/use-title.ts';
import { ConsistencyChecks } from './consistency-checks.tsx';
import { LogAndBackups } from './log-and-backups.tsx';
import classes from './operations-page.module.css';
import { Problems } from './problems.tsx';
import { Progress } from './progress.tsx';
import { ProjectionVersions } from './projection-versions.tsx';
import { QuarantinedProjects } from './quarantined-projects.tsx';

const POLL_MS = 1_000;
/** A lag below this is normal on a busy log. */
const MIN_NOTABLE_LAG = 1_000n;

export function OperationsPage({ operations }: { operations: OperationsClient }) {
  useTitle(t`Operations`);
  const found = useResource(['operations'], operations.find);
  const isLive = usePolling(found.refresh, POLL_MS);
  return (
    <Page
      title={t`Operations`}
      lead={t`Event log and projections.`}
      tools={<Liveness isLive={isLive} isFailing={found.error !== undefined} />}
    >
      {found.error !== undefined && (
        <ErrorNote
          title={t`The operations status could not be loaded`}
          error={found.error}
          onRetry={found.refresh}
          isRetrying={found.isFetching}
        />
      )}
      {found.value === undefined && found.error === undefined && (
        <BlockLoading height={320} label={t`Loading operations status`} />
      )}
      {found.value && <State state={found.value} operations={operations} refresh={found.refresh} />}
    </Page>
  );
}

function Liveness({ isLive, isFailing }: { isLive: boolean; isFailing: boolean }) {
  if (isFailing)
    return (
      <StatusDot tone="bad">
        <Trans>Not updating</Trans>
      </StatusDot>
    );
  return isLive ? (
    <StatusDot tone="good">
      <Trans>Live</Trans>
    </StatusDot>
  ) : (
    <StatusDot tone="off">
      <Trans>Paused</Trans>
    </StatusDot>
  );
}

type StateProps = { state: Operations; operations: OperationsClient; refresh: () => Promise<void> };

function State({ state, operations, refresh }: StateProps) {
  const { head, subscriptions, problems } = state;
  return (
    <>
      <Problems problems={problems} />
      <dl className={classes.figures}>
        <div>
          <dt>
            <Trans>Log head (position)</Trans>
          </dt>
          <dd>{formatCount(head)}</dd>
        </div>
        <div>
          <dt>
            <Trans>Projections</Trans>
          </dt>
          <dd>{formatCount(subscriptions.length)}</dd>
        </div>
        <div>
          <dt>
            <Trans>Max lag</Trans>
          </dt>
          <dd>
            {plural(Math.max(0, ...subscriptions.map(({ lag }) => Number(lag))), { one: '# event', other: '# events' })}
          </dd>
        </div>
      </dl>
      <Card title={t`Projections`} labelId="projections-title" flush>
        <ul className={classes.list}>
          {subscriptions.map((subscription) => (
            <SubscriptionRow key={subscription.name} subscription={subscription} head={head} />
          ))}
        </ul>
      </Card>
      <QuarantinedProjects quarantines={state.quarantines} operations={operations} refresh={refresh} />
      <ProjectionVersions state={state} operations={operations} refresh={refresh} />
      <LogAndBackups {...state} />
      <ConsistencyChecks checks={state.checks} />
    </>
  );
}

const purposes: Readonly<Record<string, string>> = {
  main: t`API reads`,
  metrics: t`Dashboard metrics`,
  audit: t`Audit log`,
  blobs: t`Keeps large values`,
  erasures: t`Completes deletions`,
  emails: t`Queues emails`,
  'security-notices': t`Queues security notices`,
};

function SubscriptionRow({ subscription, head }: { subscription: Subscription; head: bigint }) {
  const { name, projectionVersion, position, lag, state, error } = subscription;
  return (
    <li className={classes.row}>
      <div className={`${classes.name} ${classes.id}`}>
        <strong>{name}</strong>
        <small>{projectionVersion ?? purposes[name]}</small>
      </div>
      <Progress label={t`Progress of ${name}`} position={position} head={head} />
      <div className={classes.numbers}>
        {formatCount(position)}
        <small>
          {lag === 0n ? t`up to date` : t`${plural(Number(lag), { one: '# event', other: '# events' })} behind`}
        </small>
      </div>
      <SubscriptionState state={state} lag={lag} />
      {error !== null && (
        <p role="alert" className={classes.error}>
          {error}
        </p>
      )}
    </li>
  );
}

function SubscriptionState({ state, lag }: Pick<Subscription, 'state' | 'lag'>) {
  if (state === 'stopped')
    return (
      <StatusDot tone="bad">
        <Trans>Stopped</Trans>
      </StatusDot>
    );
  return lag >= MIN_NOTABLE_LAG ? (
    <StatusDot tone="busy">
      <Trans>Catching up</Trans>
    </StatusDot>
  ) : (
    <StatusDot tone="good">
      <Trans>Running</Trans>
    </StatusDot>
  );
}
