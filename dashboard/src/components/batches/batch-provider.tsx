import type { UserBatch, UserBatchAction, UserBatchesClient, UserBatchSelection } from '@gatebook/js/admin';
import { useAction, useResource, useResourceCache } from '@gatebook/react';
import { type ReactNode, useEffect, useMemo, useRef, useState } from 'react';
import { BatchesContext } from '../../lib/batches.ts';
import { BatchBar } from './batch-bar.tsx';
import { readClosedBatch, rememberClosedBatch } from './closed-batch.ts';
import { UndoBatchDialog } from './undo-batch-button.tsx';

type Props = {
  projectId: string;
  /** null while it is not known. */
  ownerId: string | null;
  userBatches: UserBatchesClient;
  /** Wraps the writes of a batch. */
  during: <Result>(work: () => Promise<Result>) => Promise<Result>;
  children: ReactNode;
};

const pollMs = 1_000;

/**
 * Shows the batch of a project below every page, also to members who did not start it, and how far the server has got
 * (docs/decisions/0135).
 */
export function BatchProvider({ projectId, ownerId, userBatches, during, children }: Props) {
  const cache = useResourceCache();
  const key = ['user-batches', projectId];
  const { value: batches, refresh } = useResource(key, userBatches.list);
  const [closedId, setClosedId] = useState(() => readClosedBatch(projectId));
  const [undone, setUndone] = useState({ batchId: '', isOpen: false });
  const newest = batches?.[0] ?? null;
  const isRunning = newest?.status === 'running';
  /** Running batches that this tab has shown. */
  const seen = useRef(new Set<string>());
  if (newest && isRunning) seen.current.add(newest.id);

  useEffect(() => {
    const look = (): void => {
      if (document.visibilityState === 'visible') void refresh();
    };
    document.addEventListener('visibilitychange', look);
    return () => document.removeEventListener('visibilitychange', look);
  }, [refresh]);
  useEffect(() => {
    if (!isRunning) return;
    const timer = setInterval(() => void refresh(), pollMs);
    return () => {
      clearInterval(timer);
      // It has ended: every page may show something that it has changed.
      void cache.invalidate([]);
    };
  }, [isRunning, refresh, cache]);

  const cancel = useAction(async ({ id }: UserBatch) => {
    await during(() => userBatches.cancel(id));
    await refresh();
  });
  const value = useMemo(() => {
    const run = async (start: () => Promise<UserBatch>): Promise<void> => {
      try {
        await during(start);
      } finally {
        // Also shows the batch that keeps this one from being started.
        await refresh();
      }
    };
    const { preview, previewUndo } = userBatches;
    return {
      ...{ isBusy: isRunning, ownerId, preview, previewUndo },
      start: (action: UserBatchAction, selection: UserBatchSelection, expectedCount: number) =>
        run(() => userBatches.start(action, selection, { expectedCount })),
      undo: (batchId: string) => run(() => userBatches.undo(batchId)),
    };
  }, [isRunning, ownerId, userBatches, during, refresh]);
  const isShown =
    newest !== null &&
    (isRunning ||
      (newest.id !== closedId &&
        (seen.current.has(newest.id) || (ownerId !== null && newest.startedBy.id === ownerId))));
  return (
    <BatchesContext value={value}>
      {children}
      {isShown && (
        <BatchBar
          key={newest.id}
          batch={newest}
          projectId={projectId}
          listFailures={userBatches.listFailures}
          isCanceling={cancel.isRunning}
          error={cancel.error}
          onCancel={() => void cancel.run(newest)}
          onUndo={() => setUndone({ batchId: newest.id, isOpen: true })}
          onClose={() => {
            rememberClosedBatch(projectId, newest.id);
            setClosedId(newest.id);
          }}
        />
      )}
      {/* Outside the bar, which can show another batch meanwhile. */}
      {undone.batchId && <UndoBatchDialog {...undone} onClose={() => setUndone({ ...undone, isOpen: false })} />}
    </BatchesContext>
  );
}
