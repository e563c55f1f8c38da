/** `jobId`: of a job that the queue has once. */
type Pending = { id: string; jobId: string };
type Page<Row> = { after: Row | undefined; limit: number };

/**
 * Queues one page of what is pending again, in case that its jobs were lost with the queue.
 * @returns `next`: where the next call continues; undefined at the end of the list
 */
export async function queueAgain<Row extends Pending>(
  list: (page: Page<Row>) => Promise<readonly Row[]>,
  add: (row: Row) => Promise<unknown>,
  page: Page<Row>,
  signal: AbortSignal,
): Promise<{ next: Row | undefined }> {
  const pending = await list(page);
  for (const row of pending) {
    if (signal.aborted) break;
    await add(row);
  }
  return { next: pending.length < page.limit ? undefined : pending.at(-1) };
}
