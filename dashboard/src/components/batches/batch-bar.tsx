import { Button } from '@mantine/core';
import { formatCount, plural } from '../../lib/format.ts';
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
    <section className={classes.bar} aria-label="Batch">
      <div className={classes.head}>
        <strong>{describeBatch(batch.action, total)}</strong>
        <span className={classes.buttons}>
          {isRunning && (
            <Button size="xs" variant="default" onClick={onStop}>
              Stop
            </Button>
          )}
          {!isRunning && !isComplete && (
            <>
              <Button size="xs" variant="default" onClick={onClose}>
                Discard the rest
              </Button>
              <Button size="xs" onClick={onContinue}>
                Continue
              </Button>
            </>
          )}
          {!isRunning && isComplete && (
            <Button size="xs" variant="default" onClick={onClose}>
              Close
            </Button>
          )}
        </span>
      </div>
      <progress className={classes.progress} aria-label="Progress" max={Math.max(1, total)} value={progress.done} />
      <span role="status" className={classes.dim}>
        {isComplete ? 'Complete: ' : isRunning ? '' : 'Stopped: '}
        {`${formatCount(progress.done)} of ${plural(total, 'user')}`}
        {progress.failures.length > 0 && `, ${formatCount(progress.failures.length)} failed`}
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
      <summary>Show what failed</summary>
      <ul>
        {failures.slice(0, SHOWN).map(({ userId, text }) => (
          <li key={userId}>
            <PlainLink href={`/projects/${projectId}/users/${userId}`}>{userId}</PlainLink>: {text}
          </li>
        ))}
        {failures.length > SHOWN && <li>{`${formatCount(failures.length - SHOWN)} more`}</li>}
      </ul>
    </details>
  );
}
