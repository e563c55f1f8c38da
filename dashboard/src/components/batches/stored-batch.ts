import type { Batch, BatchProgress } from './batch.ts';

/**
 * A batch survives its tab in the storage of the browser. Each owner who uses the browser has their own. The progress
 * is apart, because it is written often.
 */
const batchKey = (projectId: string, ownerId: string): string => `gatebook-batch-${projectId}-${ownerId}`;
const progressKey = (batchId: string): string => `gatebook-batch-progress-${batchId}`;

export type StoredBatch = { batch: Batch; progress: BatchProgress };

/** null if there is none. */
export function readBatch(projectId: string, ownerId: string | null): StoredBatch | null {
  if (ownerId === null) return null;
  try {
    const batch = JSON.parse(localStorage.getItem(batchKey(projectId, ownerId)) ?? 'null') as Batch | null;
    if (batch === null) return null;
    const progress = JSON.parse(localStorage.getItem(progressKey(batch.id)) ?? 'null') as BatchProgress | null;
    return { batch, progress: progress ?? { done: 0, failures: [] } };
  } catch {
    return null;
  }
}

/** @throws DOMException if the browser's storage is full or switched off */
export function storeBatch(projectId: string, batch: Batch): void {
  removeBatch(projectId, batch.ownerId);
  localStorage.setItem(batchKey(projectId, batch.ownerId), JSON.stringify(batch));
}

/** A progress that can't be stored costs repeated calls, which do no harm. */
export function storeProgress(batchId: string, progress: BatchProgress): void {
  try {
    localStorage.setItem(progressKey(batchId), JSON.stringify(progress));
  } catch {}
}

export function removeBatch(projectId: string, ownerId: string): void {
  try {
    const stored = readBatch(projectId, ownerId);
    if (stored) localStorage.removeItem(progressKey(stored.batch.id));
    localStorage.removeItem(batchKey(projectId, ownerId));
  } catch {}
}
