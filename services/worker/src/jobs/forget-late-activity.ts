import type { Activity } from '@gatebook/readmodel/activity/activity';
import { listErasedActiveProjects, listErasedActiveUsers } from '@gatebook/readmodel/activity/late-activity';
import type { Pool } from '@gatebook/runtime/postgres';

type Parts = { pool: Pool; activity: Pick<Activity, 'forgetUser' | 'forgetProject'> };

const dayMs = 24 * 60 * 60 * 1000;

/** Forgets users and projects that were erased while another process still had activity of them in memory. */
export async function forgetLateActivity({ pool, activity }: Parts, now: string, signal: AbortSignal): Promise<void> {
  const since = new Date(Date.parse(now) - dayMs).toISOString();
  for (const userId of await listErasedActiveUsers(pool, since)) {
    if (signal.aborted) return;
    await activity.forgetUser(userId);
  }
  for (const projectId of await listErasedActiveProjects(pool)) {
    if (signal.aborted) return;
    await activity.forgetProject(projectId);
  }
}
