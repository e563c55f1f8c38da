import type { UserBatch, UserBatchesClient } from '@gatebook/js/admin';
import { useResource } from '@gatebook/react';
import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button } from '@mantine/core';
import { useState } from 'react';
import { formatCount } from '../../lib/format.ts';
import { PlainLink } from '../app-link.tsx';
import { ErrorNote } from '../states.tsx';
import { Writing } from '../writing.tsx';
import { canBeUndone, describeBatch } from './batch.ts';
import classes from './batch-bar.module.css';
import { OpenUndoButton } from './undo-batch-button.tsx';

type Props = {
  batch: UserBatch;
  projectId: string;
  listFailures: UserBatchesClient['listFailures'];
  isCanceling: boolean;
  error: unknown;
  onCancel: () => void;
  onUndo: () => void;
  /** Hides a batch that has ended. */
  onClose: () => void;
};

const ends: Readonly<Record<UserBatch['status'], string>> = {
  running: '',
  completed: t`Complete: `,
  canceled: t`Canceled: `,
  forbidden: t`Stopped because the person who started it lost the role: `,
};

/** A batch, how far it is, and what can be done about it. */
export function BatchBar({ batch, projectId, listFailures, isCanceling, error, onCancel, onUndo, onClose }: Props) {
  const { type, total, done, failed, status } = batch;
  return (
    <section className={classes.bar} aria-label={t`Batch`}>
      <div className={classes.head}>
        <strong>{describeBatch(batch, total)}</strong>
        <span className={classes.buttons}>
          {status === 'running' ? (
            <Writing needs="support">
              <Button size="xs" variant="default" loading={isCanceling} onClick={onCancel}>
                <Trans>Cancel</Trans>
              </Button>
            </Writing>
          ) : (
            <>
              {canBeUndone(type) && done > failed && <OpenUndoButton onClick={onUndo} />}
              <Button size="xs" variant="default" onClick={onClose}>
                <Trans>Close</Trans>
              </Button>
            </>
          )}
        </span>
      </div>
      <progress className={classes.progress} aria-label={t`Progress`} max={Math.max(1, total)} value={done} />
      <span role="status" className={classes.dim}>
        {ends[status]}
        {t`${formatCount(done)} of ${plural(total, { one: '# user', other: '# users' })}`}
        {failed > 0 && t`, ${formatCount(failed)} failed`}
      </span>
      {error !== undefined && <ErrorNote error={error} />}
      {failed > 0 && <Failures batch={batch} projectId={projectId} listFailures={listFailures} />}
    </section>
  );
}

type FailuresProps = Pick<Props, 'batch' | 'projectId' | 'listFailures'>;

function Failures(props: FailuresProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details className={classes.failures} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <Trans>Show what failed</Trans>
      </summary>
      {isOpen && <FailureList {...props} />}
    </details>
  );
}

function FailureList({ batch, projectId, listFailures }: FailuresProps) {
  const page = useResource(['user-batch-failures', batch.id, String(batch.failed)], () => listFailures(batch.id));
  if (page.error !== undefined) return <ErrorNote error={page.error} />;
  const failures = page.value?.items ?? [];
  const more = batch.failed - failures.length;
  return (
    <ul>
      {failures.map(({ userId, error }) => (
        <li key={userId}>
          <PlainLink href={`/projects/${projectId}/users/${userId}`}>{userId}</PlainLink>: {error}
        </li>
      ))}
      {page.value && more > 0 && <li>{t`${formatCount(more)} more`}</li>}
    </ul>
  );
}
