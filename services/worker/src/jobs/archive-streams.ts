import type { Pool } from '@gatebook/runtime/postgres';

const eventsPerStep = 5_000;
const ageDays = 30;

/**
 * Archives streams of codes, emails, mailings and requests that had no event for 30 days: their events stay, but their
 * heads no longer take room in the table that every append uses. Short steps, because appends wait for each.
 */
export async function archiveStreams(pool: Pool, now: string, signal: AbortSignal): Promise<void> {
  const before = new Date(Date.parse(now) - ageDays * 24 * 60 * 60 * 1000).toISOString();
  let hasMore = true;
  while (hasMore && !signal.aborted) {
    const { rows } = await pool.query<{ hasMore: boolean }>('select log.archive_streams($1, $2) as "hasMore"', [
      before,
      eventsPerStep,
    ]);
    hasMore = rows[0]?.hasMore ?? false;
  }
}
