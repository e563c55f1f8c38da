/** The batch that an owner has seen to its end, remembered by the browser. */
const keyOf = (projectId: string): string => `gatebook-closed-batch-${projectId}`;

export function readClosedBatch(projectId: string): string | null {
  try {
    return localStorage.getItem(keyOf(projectId));
  } catch {
    return null;
  }
}

/** Without storage, it is shown again after a reload. */
export function rememberClosedBatch(projectId: string, batchId: string): void {
  try {
    localStorage.setItem(keyOf(projectId), batchId);
  } catch {}
}
