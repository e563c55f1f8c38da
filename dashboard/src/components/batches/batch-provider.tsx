import { useAction, useResourceCache } from '@gatebook/react';
import { t } from '@lingui/core/macro';
import { type ReactNode, useEffect, useMemo, useRef, useState } from 'react';
import { BatchesContext } from '../../lib/batches.ts';
import type { BatchAction } from './batch.ts';
import { BatchBar } from './batch-bar.tsx';
import { type BatchClients, runBatch } from './run-batch.ts';
import { readBatch, removeBatch, type StoredBatch, storeBatch, storeProgress } from './stored-batch.ts';

type Props = {
  projectId: string;
  /** null while it is not known. */
  ownerId: string | null;
  clients: BatchClients;
  /** Wraps the writes of a batch. */
  during: (work: () => Promise<void>) => Promise<void>;
  children: ReactNode;
};

/**
 * Runs one batch of a project at a time and shows it below every page. After a reload, or in a new tab, the owner can
 * continue an unfinished batch (docs/decisions/0102).
 */
export function BatchProvider({ projectId, ownerId, clients, during, children }: Props) {
  const cache = useResourceCache();
  const [stored, setStored] = useState<StoredBatch | null>(null);
  useEffect(() => {
    const read = () => setStored(readBatch(projectId, ownerId));
    read();
    // Another tab started, continued or removed it.
    globalThis.addEventListener('storage', read);
    return () => globalThis.removeEventListener('storage', read);
  }, [projectId, ownerId]);
  const stop = useRef<AbortController | null>(null);
  useEffect(() => () => stop.current?.abort(), []);
  const run = useAction(async (from: StoredBatch) => {
    const controller = new AbortController();
    stop.current = controller;
    const onProgress = (progress: StoredBatch['progress']): void => {
      const isDiscarded = readBatch(projectId, from.batch.ownerId)?.batch.id !== from.batch.id;
      if (isDiscarded) {
        controller.abort();
        return;
      }
      storeProgress(from.batch.id, progress);
      setStored({ batch: from.batch, progress });
    };
    try {
      await inOneTab(`gatebook-batch-${projectId}`, () =>
        during(() => runBatch({ stored: from, clients, signal: controller.signal, onProgress })),
      );
    } finally {
      await cache.invalidate([]);
    }
  });
  const isRunning = run.isRunning;
  useEffect(() => {
    if (!isRunning) return;
    const warn = (event: BeforeUnloadEvent): void => event.preventDefault();
    globalThis.addEventListener('beforeunload', warn);
    return () => globalThis.removeEventListener('beforeunload', warn);
  }, [isRunning]);
  const { run: runFrom } = run;
  const batches = useMemo(
    () => ({
      isBusy: stored !== null || ownerId === null,
      ownerId,
      start: (action: BatchAction, userIds: readonly string[]): void => {
        if (ownerId === null) return;
        const batch = { id: crypto.randomUUID(), ownerId, action, userIds };
        storeBatch(projectId, batch);
        const fresh = { batch, progress: { done: 0, failures: [] } };
        setStored(fresh);
        void runFrom(fresh);
      },
    }),
    [stored, projectId, ownerId, runFrom],
  );
  return (
    <BatchesContext value={batches}>
      {children}
      {stored && (
        <BatchBar
          stored={stored}
          projectId={projectId}
          isRunning={isRunning}
          error={run.error}
          onStop={() => stop.current?.abort()}
          onContinue={() => {
            const current = readBatch(projectId, ownerId);
            if (current?.batch.id === stored.batch.id) void runFrom(current);
            else setStored(current);
          }}
          onClose={() => {
            run.reset();
            removeBatch(projectId, stored.batch.ownerId);
            setStored(null);
          }}
        />
      )}
    </BatchesContext>
  );
}

/** @throws Error if another tab runs it */
async function inOneTab(name: string, work: () => Promise<void>): Promise<void> {
  // Browsers offer locks to pages of https and of localhost only.
  const { locks }: { locks?: LockManager | null } = navigator;
  if (!locks) return work();
  await locks.request(name, { ifAvailable: true }, async (lock) => {
    if (lock === null) throw new Error(t`Another tab is working on it.`);
    await work();
  });
}
