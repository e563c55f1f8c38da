import { rejectionRetention } from '@gatebook/domain/project/config';
import type { Activity } from '@gatebook/readmodel/activity/activity';
import {
  deleteRejections,
  deleteRejectionsOfErasedProjects,
  deleteThrottledAccounts,
  listErasedUsers,
  listProjectsWithRejections,
  noteExpiry,
} from '@gatebook/readmodel/activity/rejection-rows';
import { listRejectionRetentions } from '@gatebook/readmodel/projects/queries';
import type { ReadDb } from '@gatebook/readmodel/read-db';
import { pause } from '@gatebook/runtime/pause';
import type { Pool } from '@gatebook/runtime/postgres';

type Parts = { pool: Pool; db: ReadDb; activity: Pick<Activity, 'forgetUser'> };

const dayMs = 24 * 60 * 60 * 1000;
/** Leaves room for the writes of sign-ins. */
const pauseMs = 10;

/**
 * Deletes rejections that are older than their project keeps them, at most 500 rows at a time. Also forgets users and
 * projects that were erased while another process still had rejections of them in memory.
 */
export async function expireRejections({ pool, db, activity }: Parts, now: string, signal: AbortSignal): Promise<void> {
  const daysAgo = (days: number) => new Date(Date.parse(now) - days * dayMs).toISOString();
  const projectIds = await listProjectsWithRejections(pool);
  // A new installation has no rejections, and no read models yet.
  const retentions = projectIds.length > 0 ? await listRejectionRetentions(db) : new Map<string, number>();
  for (const projectId of projectIds) {
    const before = daysAgo(retentions.get(projectId) ?? rejectionRetention.standard);
    await repeat(() => deleteRejections(pool, projectId, before), signal);
    for (const userId of await listErasedUsers(pool, projectId, daysAgo(1))) await activity.forgetUser(userId);
    if (signal.aborted) return;
  }
  await repeat(() => deleteRejectionsOfErasedProjects(pool), signal);
  await repeat(() => deleteThrottledAccounts(pool, daysAgo(1)), signal);
  if (!signal.aborted) await noteExpiry(pool, now);
}

async function repeat(deleteSome: () => Promise<boolean>, signal: AbortSignal): Promise<void> {
  while (!signal.aborted && (await deleteSome())) await pause(pauseMs, signal);
}
