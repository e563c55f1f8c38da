import type { Comparison, Operations, OperationsClient, ProjectionVersion } from '@gatebook/js/operations';
import { useAction } from '@gatebook/react/use-action';
import { Button, Group, Menu } from '@mantine/core';
import { IconRefresh } from '@tabler/icons-react';
import { useState } from 'react';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { Card, ErrorNote } from '../../components/states.tsx';
import { StatusDot } from '../../components/status-dot.tsx';
import { formatCount } from '../../lib/format.ts';
import { ComparisonNote } from './comparison-note.tsx';
import classes from './operations-page.module.css';
import { Progress } from './progress.tsx';
import { describeLeft, useRate } from './use-rate.ts';

type Asked = { kind: 'switch' | 'drop'; projectionVersion: ProjectionVersion };
type Parts = { state: Operations; operations: OperationsClient; refresh: () => Promise<void> };

const sets: readonly { name: string; label: string }[] = [
  { name: 'main', label: 'What the API reads (main)' },
  { name: 'metrics', label: 'Owners’ figures (metrics)' },
];

/** The projection versions of read models, and what an operator does with them: build another, compare, switch, drop. */
export function ProjectionVersions({ state: { head, projectionVersions }, operations, refresh }: Parts) {
  const [asked, setAsked] = useState<Asked | null>(null);
  const [compared, setCompared] = useState<string | null>(null);
  const [comparison, setComparison] = useState<Comparison | null>(null);
  const rebuild = useAction(async (set: string) => {
    await operations.rebuild(set);
    await refresh();
  });
  const compare = useAction(async (id: string) => {
    setCompared(id);
    setComparison(null);
    setComparison(await operations.compare(id));
  });
  const carryOut = async ({ kind, projectionVersion }: Asked): Promise<void> => {
    await (kind === 'switch' ? operations.promoteStandby(projectionVersion.id) : operations.drop(projectionVersion.id));
    setComparison(null);
    await refresh();
  };
  const isBuilt = (set: string) =>
    projectionVersions.some((projectionVersion) => projectionVersion.set === set && projectionVersion.isStandby);
  const failure = rebuild.error ?? compare.error;
  return (
    <Card
      title="Versions"
      labelId="projection-versions-title"
      flush
      actions={
        <Menu position="bottom-end">
          <Menu.Target>
            <Button
              size="xs"
              variant="default"
              loading={rebuild.isRunning}
              leftSection={<IconRefresh size={14} aria-hidden />}
            >
              Rebuild
            </Button>
          </Menu.Target>
          <Menu.Dropdown>
            {sets.map(({ name, label }) => (
              <Menu.Item key={name} disabled={isBuilt(name)} onClick={() => void rebuild.run(name)}>
                {label}
              </Menu.Item>
            ))}
          </Menu.Dropdown>
        </Menu>
      }
    >
      {failure !== undefined && (
        <div className={classes.note}>
          <ErrorNote error={failure} />
        </div>
      )}
      <ul className={classes.list}>
        {projectionVersions.map((projectionVersion) => (
          <ProjectionVersionRow
            key={projectionVersion.id}
            projectionVersion={projectionVersion}
            head={head}
            isComparing={compare.isRunning && compared === projectionVersion.id}
            onCompare={() => void compare.run(projectionVersion.id)}
            onAsk={(kind) => setAsked({ kind, projectionVersion })}
          />
        ))}
      </ul>
      {comparison && <ComparisonNote comparison={comparison} onClose={() => setComparison(null)} />}
      <Confirmation asked={asked} onClose={() => setAsked(null)} onConfirm={carryOut} />
    </Card>
  );
}

type ConfirmationProps = { asked: Asked | null; onClose: () => void; onConfirm: (asked: Asked) => Promise<void> };

function Confirmation({ asked, onClose, onConfirm }: ConfirmationProps) {
  if (asked === null) return null;
  const { id, set, state } = asked.projectionVersion;
  if (asked.kind === 'drop') {
    return (
      <ConfirmDialog
        isOpen
        onClose={onClose}
        title={`Drop ${id}`}
        confirmLabel="Drop it"
        onConfirm={() => onConfirm(asked)}
      >
        Its tables are removed. The log stays, so another can be built at any time.
      </ConfirmDialog>
    );
  }
  return (
    <ConfirmDialog
      isOpen
      onClose={onClose}
      title={state === 'previous' ? `Switch back to ${id}` : `Switch to ${id}`}
      confirmLabel={state === 'previous' ? 'Switch back' : 'Switch'}
      color="verdigris"
      onConfirm={() => onConfirm(asked)}
    >
      From now on {set === 'main' ? 'every answer of the API' : 'owners’ figures'} will be read from it. Requests go on
      meanwhile. The one that is read now is kept, so you can switch back; an older one that was kept is dropped.
    </ConfirmDialog>
  );
}

type RowProps = {
  projectionVersion: ProjectionVersion;
  head: bigint;
  isComparing: boolean;
  onCompare: () => void;
  onAsk: (kind: Asked['kind']) => void;
};

function ProjectionVersionRow({ projectionVersion, head, isComparing, onCompare, onAsk }: RowProps) {
  const { id, set, version, state, isStandby, isReady, error, position, createdAt } = projectionVersion;
  const isOurs = isStandby || state === 'previous';
  const canBeRead = isOurs && isReady && error === null;
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
      <ProjectionVersionState projectionVersion={projectionVersion} />
      {!isReady && <Pace position={position} head={head} />}
      {isOurs && (
        <Group gap="xs" className={classes.actions}>
          {canBeRead && (
            <>
              <Button size="compact-xs" variant="default" loading={isComparing} onClick={onCompare}>
                Compare
              </Button>
              <Button size="compact-xs" variant="default" onClick={() => onAsk('switch')}>
                {state === 'previous' ? 'Switch back' : 'Switch'}
              </Button>
            </>
          )}
          <Button size="compact-xs" variant="subtle" color="red" onClick={() => onAsk('drop')}>
            Drop
          </Button>
        </Group>
      )}
      {error !== null && (
        <p role="alert" className={classes.fault}>
          {error}
        </p>
      )}
    </li>
  );
}

function Pace({ position, head }: { position: bigint; head: bigint }) {
  const rate = useRate(position);
  const percent = head === 0n ? 100 : Number((position * 100n) / head);
  return <small className={classes.pace}>{[`${percent} %`, ...describeLeft(rate, head - position)].join(' · ')}</small>;
}

const states: Readonly<Record<string, { tone: 'good' | 'busy' | 'off'; label: string }>> = {
  live: { tone: 'good', label: 'Live' },
  building: { tone: 'busy', label: 'Building' },
  previous: { tone: 'off', label: 'Kept' },
};

function ProjectionVersionState({
  projectionVersion: { state, isStandby, isReady, error },
}: {
  projectionVersion: ProjectionVersion;
}) {
  if (error !== null) return <StatusDot tone="bad">Stopped</StatusDot>;
  if (isStandby && isReady) return <StatusDot tone="good">Waiting</StatusDot>;
  const { tone, label } = states[state] ?? { tone: 'off', label: state };
  return <StatusDot tone={tone}>{label}</StatusDot>;
}
