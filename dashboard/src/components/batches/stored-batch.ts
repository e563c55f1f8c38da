import type { Batch, BatchProgress } from './batch.ts';

/** A batch survives its tab in the storage of the browser. Its progress is apart, because it is written often. */
const batchKey = (projectId: string): string => `gatebook-batch-${projectId}`;
const progressKey = (batchId: string): string => `gatebook-batch-progress-${batchId}`;

export type StoredBatch = { batch: Batch; progress: BatchProgress };

/** null if there is none, or another owner's. */
export function readBatch(projectId: string, ownerId: string | null): StoredBatch | null {
  try {
    const batch = JSON.parse(localStorage.getItem(batchKey(projectId)) ?? 'null') as Batch | null;
    if (batch === null || batch.ownerId !== ownerId) return null;
    const progress = JSON.parse(localStorage.getItem(progressKey(batch.id)) ?? 'null') as BatchProgress | null;
    return { batch, progress: progress ?? { done: 0, failures: [] } };
  } catch {
    return null;
  }
}

/** @throws DOMException if the browser's storage is full or switched off */
export function storeBatch(projectId: string, batch: Batch): void {
  removeBatch(projectId);
  localStorage.setItem(batchKey(projectId), JSON.stringify(batch));
}

/** A progress that can't be stored costs repeated calls, which do no harm. */
export function storeProgress(batchId: string, progress: BatchProgress): void {
  try {
    localStorage.setItem(progressKey(batchId), JSON.stringify(progress));
  } catch {}
}

export function removeBatch(projectId: string): void {
  try {
    const stored = JSON.parse(localStorage.getItem(batchKey(projectId)) ?? 'null') as Batch | null;
    if (stored) localStorage.removeItem(progressKey(stored.id));
    localStorage.removeItem(batchKey(projectId));
  } catch {}
}
