import type { Operations, OperationsClient, Subscription } from '@gatebook/js/operations';
import { useResource } from '@gatebook/react/use-resource';
import { Page } from '../../components/page.tsx';
import { BlockLoading, Card, ErrorNote } from '../../components/states.tsx';
import { StatusDot } from '../../components/status-dot.tsx';
import { formatCount, plural } from '../../lib/format.ts';
import { usePolling } from '../../lib/use-polling.ts';
import { useTitle } from '../../lib/use-title.ts';
import { ConsistencyChecks } from './consistency-checks.tsx';
import classes from './operations-page.module.css';
import { Progress } from './progress.tsx';
import { ProjectionVersions } from './projection-versions.tsx';

const STEP_MS = 1_000;
/** Fewer events than this behind is the ordinary breathing of a busy log. */
const LAG_NOTICED = 1_000n;

export function OperationsPage({ operations }: { operations: OperationsClient }) {
  useTitle('Operations');
  const found = useResource(['operations'], operations.find);
  const isLive = usePolling(found.refresh, STEP_MS);
  return (
    <Page
      title="Operations"
      lead="The log, and how far everything that is built from it has come."
      actions={
        <StatusDot tone={isLive && found.error === undefined ? 'good' : 'off'}>{isLive ? 'Live' : 'Paused'}</StatusDot>
      }
    >
      {found.error !== undefined && (
        <ErrorNote
          title="The state could not be loaded"
          error={found.error}
          onRetry={found.refresh}
          isRetrying={found.isFetching}
        />
      )}
      {found.value === undefined && found.error === undefined && (
        <BlockLoading height={320} label="Loading the state" />
      )}
      {found.value && <State state={found.value} operations={operations} refresh={found.refresh} />}
    </Page>
  );
}

type StateProps = { state: Operations; operations: OperationsClient; refresh: () => Promise<void> };

function State({ state, operations, refresh }: StateProps) {
  const { head, subscriptions } = state;
  return (
    <>
      <dl className={classes.figures}>
        <div>
          <dt>Head of the log</dt>
          <dd>{formatCount(head)}</dd>
        </div>
        <div>
          <dt>Subscriptions</dt>
          <dd>{formatCount(subscriptions.length)}</dd>
        </div>
        <div>
          <dt>Furthest behind</dt>
          <dd>{plural(Math.max(0, ...subscriptions.map(({ lag }) => Number(lag))), 'event')}</dd>
        </div>
      </dl>
      <Card title="Subscriptions" labelId="subscriptions-title" flush>
        <ul className={classes.list}>
          {subscriptions.map((subscription) => (
            <SubscriptionRow key={subscription.name} subscription={subscription} head={head} />
          ))}
        </ul>
      </Card>
      <ProjectionVersions state={state} operations={operations} refresh={refresh} />
      <ConsistencyChecks checks={state.checks} />
    </>
  );
}

const purposes: Readonly<Record<string, string>> = {
  main: 'What the API reads',
  metrics: 'Owners’ figures',
  erasures: 'Finishes deletions',
  emails: 'Queues emails',
  'security-notices': 'Requests security notices',
};

function SubscriptionRow({ subscription, head }: { subscription: Subscription; head: bigint }) {
  const { name, projectionVersion, position, lag, state, error } = subscription;
  return (
    <li className={classes.row}>
      <div className={classes.name}>
        <strong>{name}</strong>
        <small>{projectionVersion ?? purposes[name]}</small>
      </div>
      <Progress label={`Progress of ${name}`} position={position} head={head} />
      <div className={classes.numbers}>
        {formatCount(position)}
        <small>{lag === 0n ? 'up to date' : `${plural(Number(lag), 'event')} behind`}</small>
      </div>
      <SubscriptionState state={state} lag={lag} />
      {error !== null && (
        <p role="alert" className={classes.fault}>
          {error}
        </p>
      )}
    </li>
  );
}

function SubscriptionState({ state, lag }: Pick<Subscription, 'state' | 'lag'>) {
  if (state === 'stopped') return <StatusDot tone="bad">Stopped</StatusDot>;
  return lag >= LAG_NOTICED ? (
    <StatusDot tone="busy">Catching up</StatusDot>
  ) : (
    <StatusDot tone="good">Following</StatusDot>
  );
}
