import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button } from '@mantine/core';
import { formatCount } from '../../lib/format.ts';
import { PlainLink } from '../app-link.tsx';
import { ErrorNote } from '../states.tsx';
import { describeBatch } from './batch.ts';
import classes from './batch-bar.module.css';
import type { StoredBatch } from './stored-batch.ts';

type Props = {
  stored: StoredBatch;
  projectId: string;
  isRunning: boolean;
  error: unknown;
  onStop: () => void;
  onContinue: () => void;
  /** Forgets the batch, complete or not. */
  onClose: () => void;
};

/** A batch, how far it is, and what can be done about it. */
export function BatchBar({ stored, projectId, isRunning, error, onStop, onContinue, onClose }: Props) {
  const { batch, progress } = stored;
  const total = batch.userIds.length;
  const isComplete = progress.done === total;
  return (
    <section className={classes.bar} aria-label={t`Batch`}>
      <div className={classes.head}>
        <strong>{describeBatch(batch.action, total)}</strong>
        <span className={classes.buttons}>
          {isRunning && (
            <Button size="xs" variant="default" onClick={onStop}>
              <Trans>Stop</Trans>
            </Button>
          )}
          {!isRunning && !isComplete && (
            <>
              <Button size="xs" variant="default" onClick={onClose}>
                <Trans>Discard the rest</Trans>
              </Button>
              <Button size="xs" onClick={onContinue}>
                <Trans>Continue</Trans>
              </Button>
            </>
          )}
          {!isRunning && isComplete && (
            <Button size="xs" variant="default" onClick={onClose}>
              <Trans>Close</Trans>
            </Button>
          )}
        </span>
      </div>
      <progress className={classes.progress} aria-label={t`Progress`} max={Math.max(1, total)} value={progress.done} />
      <span role="status" className={classes.dim}>
        {isComplete ? t`Complete: ` : isRunning ? '' : t`Stopped: `}
        {t`${formatCount(progress.done)} of ${plural(total, { one: '# user', other: '# users' })}`}
        {progress.failures.length > 0 && t`, ${formatCount(progress.failures.length)} failed`}
      </span>
      {error !== undefined && <ErrorNote error={error} />}
      <Failures failures={progress.failures} projectId={projectId} />
    </section>
  );
}

const SHOWN = 100;

function Failures({ failures, projectId }: Pick<StoredBatch['progress'], 'failures'> & { projectId: string }) {
  if (failures.length === 0) return null;
  return (
    <details className={classes.failures}>
      <summary>
        <Trans>Show what failed</Trans>
      </summary>
      <ul>
        {failures.slice(0, SHOWN).map(({ userId, text }) => (
          <li key={userId}>
            <PlainLink href={`/projects/${projectId}/users/${userId}`}>{userId}</PlainLink>: {text}
          </li>
        ))}
        {failures.length > SHOWN && <li>{t`${formatCount(failures.length - SHOWN)} more`}</li>}
      </ul>
    </details>
  );
}
