import type { Follower, Generation, Operations, OperationsClient } from '@gatebook/sdk/operations';
import { useResource } from '@gatebook/sdk/react/use-resource';
import { Page } from '../../components/page.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { BlockLoading, Card, ErrorNote } from '../../components/states.tsx';
import { StatusDot } from '../../components/status-dot.tsx';
import { formatCount, plural } from '../../lib/format.ts';
import { usePolling } from '../../lib/use-polling.ts';
import { useTitle } from '../../lib/use-title.ts';
import classes from './operations-page.module.css';

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
      {found.value && <State operations={found.value} />}
    </Page>
  );
}

function State({ operations: { head, followers, generations } }: { operations: Operations }) {
  return (
    <>
      <dl className={classes.figures}>
        <div>
          <dt>Head of the log</dt>
          <dd>{formatCount(head)}</dd>
        </div>
        <div>
          <dt>Followers</dt>
          <dd>{formatCount(followers.length)}</dd>
        </div>
        <div>
          <dt>Furthest behind</dt>
          <dd>{plural(Math.max(0, ...followers.map(({ lag }) => Number(lag))), 'event')}</dd>
        </div>
      </dl>
      <Card title="Followers" labelId="followers-title" flush>
        <ul className={classes.list}>
          {followers.map((follower) => (
            <FollowerRow key={follower.name} follower={follower} head={head} />
          ))}
        </ul>
      </Card>
      <Card title="Generations" labelId="generations-title" flush>
        <ul className={classes.list}>
          {generations.map((generation) => (
            <GenerationRow key={generation.id} generation={generation} head={head} />
          ))}
        </ul>
      </Card>
    </>
  );
}

const purposes: Readonly<Record<string, string>> = {
  main: 'What the API reads',
  metrics: 'Owners’ figures',
  erasures: 'Finishes deletions',
};

function FollowerRow({ follower, head }: { follower: Follower; head: bigint }) {
  const { name, generation, position, lag, state, error } = follower;
  return (
    <li className={classes.row}>
      <div className={classes.name}>
        <strong>{name}</strong>
        <small>{generation ?? purposes[name]}</small>
      </div>
      <Progress label={`Progress of ${name}`} position={position} head={head} />
      <div className={classes.numbers}>
        {formatCount(position)}
        <small>{lag === 0n ? 'up to date' : `${plural(Number(lag), 'event')} behind`}</small>
      </div>
      <FollowerState state={state} lag={lag} />
      {error !== null && (
        <p role="alert" className={classes.fault}>
          {error}
        </p>
      )}
    </li>
  );
}

function FollowerState({ state, lag }: Pick<Follower, 'state' | 'lag'>) {
  if (state === 'stopped') return <StatusDot tone="bad">Stopped</StatusDot>;
  return lag >= LAG_NOTICED ? (
    <StatusDot tone="busy">Catching up</StatusDot>
  ) : (
    <StatusDot tone="good">Following</StatusDot>
  );
}

const states: Readonly<Record<string, { tone: 'good' | 'busy' | 'off'; label: string }>> = {
  live: { tone: 'good', label: 'Live' },
  building: { tone: 'busy', label: 'Building' },
  previous: { tone: 'off', label: 'Kept' },
};

function GenerationRow({ generation, head }: { generation: Generation; head: bigint }) {
  const { set, id, version, state, position, createdAt } = generation;
  const { tone, label } = states[state] ?? { tone: 'off', label: state };
  return (
    <li className={classes.row}>
      <div className={classes.name}>
        <strong>{id}</strong>
        <small>
          {set}, version {version}, made <RelativeTime at={createdAt} />
        </small>
      </div>
      <Progress label={`Progress of ${id}`} position={position} head={head} />
      <div className={classes.numbers}>{formatCount(position)}</div>
      <StatusDot tone={tone}>{label}</StatusDot>
    </li>
  );
}

function Progress({ label, position, head }: { label: string; position: bigint; head: bigint }) {
  return (
    <progress
      className={classes.progress}
      aria-label={label}
      max={Math.max(1, Number(head))}
      value={Number(position)}
    />
  );
}
