import type { Comparison, Operations, OperationsClient, ProjectionVersion } from '@gatebook/js/admin';
import { useAction } from '@gatebook/react';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, Group } from '@mantine/core';
import { IconRefresh } from '@tabler/icons-react';
import { useState } from 'react';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { LateMenu } from '../../components/late-menu.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { Card, ErrorNote } from '../../components/states.tsx';
import { StatusDot } from '../../components/status-dot.tsx';
import { formatCount, formatPercent } from '../../lib/format.ts';
import { ComparisonNote } from './comparison-note.tsx';
import classes from './operations-page.module.css';
import { Progress } from './progress.tsx';
import { describeRemaining, useRate } from './use-rate.ts';

type PendingAction = { kind: 'promote' | 'drop'; projectionVersion: ProjectionVersion };
type Parts = { state: Operations; operations: OperationsClient; refresh: () => Promise<void> };

const readersOf: Readonly<Record<string, string>> = {
  main: t`All API reads`,
  metrics: t`Dashboard metrics`,
  audit: t`The audit log`,
};
const groups: readonly { name: string; label: string }[] = [
  { name: 'main', label: t`API reads (main)` },
  { name: 'metrics', label: t`Dashboard metrics (metrics)` },
  { name: 'audit', label: t`Audit log (audit)` },
];

/** The projection versions and their actions: rebuild, compare, promote, roll back, drop. */
export function ProjectionVersions({ state: { head, projectionVersions }, operations, refresh }: Parts) {
  const [pending, setPending] = useState<PendingAction | null>(null);
  const [compared, setCompared] = useState<string | null>(null);
  const [comparison, setComparison] = useState<Comparison | null>(null);
  const rebuild = useAction(async (group: string) => {
    await operations.rebuild(group);
    await refresh();
  });
  const compare = useAction(async (id: string) => {
    setCompared(id);
    setComparison(null);
    setComparison(await operations.compare(id));
  });
  const perform = async ({ kind, projectionVersion }: PendingAction): Promise<void> => {
    await (kind === 'promote'
      ? operations.promoteStandby(projectionVersion.id)
      : operations.drop(projectionVersion.id));
    setComparison(null);
    await refresh();
  };
  const isRebuilding = (group: string) =>
    projectionVersions.some((projectionVersion) => projectionVersion.group === group && projectionVersion.isStandby);
  const error = rebuild.error ?? compare.error;
  return (
    <Card
      title={t`Versions`}
      labelId="versions-title"
      flush
      actions={
        <LateMenu
          position="bottom-end"
          button={
            <Button
              size="xs"
              variant="default"
              loading={rebuild.isRunning}
              leftSection={<IconRefresh size={14} aria-hidden />}
            >
              <Trans>Rebuild</Trans>
            </Button>
          }
        >
          {(Menu) => (
            <>
              {groups.map(({ name, label }) => (
                <Menu.Item key={name} disabled={isRebuilding(name)} onClick={() => void rebuild.run(name)}>
                  {label}
                </Menu.Item>
              ))}
            </>
          )}
        </LateMenu>
      }
    >
      {error !== undefined && (
        <div className={classes.note}>
          <ErrorNote error={error} />
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
            onAction={(kind) => setPending({ kind, projectionVersion })}
          />
        ))}
      </ul>
      {comparison && <ComparisonNote comparison={comparison} onClose={() => setComparison(null)} />}
      <Confirmation action={pending} onClose={() => setPending(null)} onConfirm={perform} />
    </Card>
  );
}

type ConfirmationProps = {
  action: PendingAction | null;
  onClose: () => void;
  onConfirm: (action: PendingAction) => Promise<void>;
};

function Confirmation({ action, onClose, onConfirm }: ConfirmationProps) {
  if (action === null) return null;
  const { id, group, state } = action.projectionVersion;
  if (action.kind === 'drop') {
    return (
      <ConfirmDialog
        isOpen
        onClose={onClose}
        title={t`Drop ${id}?`}
        confirmLabel={t`Drop version`}
        onConfirm={() => onConfirm(action)}
      >
        <Trans>Its tables are deleted. You can rebuild them from the event log at any time.</Trans>
      </ConfirmDialog>
    );
  }
  return (
    <ConfirmDialog
      isOpen
      onClose={onClose}
      title={state === 'previous' ? t`Roll back to ${id}?` : t`Promote ${id}?`}
      confirmLabel={state === 'previous' ? t`Roll back` : t`Promote`}
      color="verdigris"
      onConfirm={() => onConfirm(action)}
    >
      <Trans>
        {readersOf[group] ?? group} will use this version, without downtime. The current version is kept, so you can
        roll back. Any older version is dropped.
      </Trans>
    </ConfirmDialog>
  );
}

type RowProps = {
  projectionVersion: ProjectionVersion;
  head: bigint;
  isComparing: boolean;
  onCompare: () => void;
  onAction: (kind: PendingAction['kind']) => void;
};

function ProjectionVersionRow({ projectionVersion, head, isComparing, onCompare, onAction }: RowProps) {
  const { id, group, version, state, isStandby, isReady, error, position, shards, createdAt } = projectionVersion;
  const hasActions = isStandby || state === 'previous';
  const canGoLive = hasActions && isReady && error === null;
  return (
    <li className={classes.row}>
      <div className={`${classes.name} ${classes.id}`}>
        <strong>{id}</strong>
        <small>
          <Trans>
            {group}, version {version}
            {shards.length > 1 && t`, ${shards.length} shards`}, created <RelativeTime at={createdAt} />
          </Trans>
        </small>
      </div>
      <Progress label={t`Progress of ${id}`} position={position} head={head} />
      <div className={classes.numbers}>{formatCount(position)}</div>
      <ProjectionVersionState projectionVersion={projectionVersion} />
      {!isReady && <Pace position={position} head={head} />}
      {hasActions && (
        <Group gap="xs" className={classes.actions}>
          {canGoLive && (
            <>
              <Button size="compact-xs" variant="default" loading={isComparing} onClick={onCompare}>
                <Trans>Compare</Trans>
              </Button>
              <Button size="compact-xs" variant="default" onClick={() => onAction('promote')}>
                {state === 'previous' ? t`Roll back` : t`Promote`}
              </Button>
            </>
          )}
          <Button size="compact-xs" variant="subtle" color="red" onClick={() => onAction('drop')}>
            <Trans>Drop</Trans>
          </Button>
        </Group>
      )}
      {error !== null && (
        <p role="alert" className={classes.error}>
          {error}
        </p>
      )}
    </li>
  );
}

function Pace({ position, head }: { position: bigint; head: bigint }) {
  const rate = useRate(position);
  const percent = formatPercent(head === 0n ? 1 : Number((position * 100n) / head) / 100);
  return <small className={classes.pace}>{[percent, ...describeRemaining(rate, head - position)].join(' · ')}</small>;
}

const states: Readonly<Record<string, { tone: 'good' | 'busy' | 'off'; label: string }>> = {
  live: { tone: 'good', label: t`Live` },
  building: { tone: 'busy', label: t`Building` },
  previous: { tone: 'off', label: t`Previous` },
};

function ProjectionVersionState({
  projectionVersion: { state, isStandby, isReady, error },
}: {
  projectionVersion: ProjectionVersion;
}) {
  if (error !== null)
    return (
      <StatusDot tone="bad">
        <Trans>Stopped</Trans>
      </StatusDot>
    );
  if (isStandby && isReady)
    return (
      <StatusDot tone="good">
        <Trans>Standby</Trans>
      </StatusDot>
    );
  const { tone, label } = states[state] ?? { tone: 'off', label: state };
  return <StatusDot tone={tone}>{label}</StatusDot>;
}
