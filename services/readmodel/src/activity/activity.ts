import type { Logger } from '@gatebook/runtime/logger';
import { inTransaction, migrate, type Pool } from '@gatebook/runtime/postgres';
import { createBatch } from './batch.ts';
import { createFirstRequests, type FirstRequests } from './first-requests.ts';
import { anonymizeRejectedRequests } from './rejected-requests.ts';
import { anonymizeRejections } from './rejection-rows.ts';
import type { Rejections } from './rejections.ts';

export type Use = {
  projectId: string;
  userId: string;
  sessionId: string;
  /** ISO 8601. */
  at: string;
  ip: string | null;
  /** ISO 3166 alpha-2. */
  country: string | null;
  /** As `knownDevice` names it. */
  device: string | null;
  /** That emails exist in; null if the request named none. */
  language: string | null;
};

/** `ownerId`: the user's or the team's; a project key owns itself. */
export type KeyUse = { keyId: string; ownerId: string; projectId: string; at: string };

export type Activity = {
  /** Records that a session was used. Written a moment later, at most once a minute per session. */
  record(use: Use): void;
  /** Records that an API key was checked. Written like sessions. */
  recordKeyUse(use: KeyUse): void;
  /** Records the first request of an app to a project. */
  recordFirstRequest: FirstRequests['record'];
  /** Writes the buffered activity. */
  flush(): Promise<void>;
  /** Removes the activity of a deleted user; the counts of days and of rejections stay. */
  forgetUser(userId: string): Promise<void>;
  /** Removes the activity of a deleted team's keys. */
  forgetTeam(teamId: string): Promise<void>;
  /** Removes all activity of a deleted project, a bounded number of rows at a time. */
  /** @throws once `signal` aborts. A later call continues. */
  forgetProject(projectId: string, signal?: AbortSignal): Promise<void>;
  close(): Promise<void>;
};

export async function migrateActivity(pool: Pool): Promise<void> {
  await migrate(pool, new URL('./migrations/', import.meta.url), 'activity');
}

/** `forgettingPool`: a role with the privilege to delete. `rejections`: those that this process buffers. */
export function createActivity({
  pool,
  forgettingPool = pool,
  rejections,
  logger,
}: {
  pool: Pool;
  forgettingPool?: Pool;
  rejections?: Pick<Rejections, 'drop'>;
  logger: Logger;
}): Activity {
  const sessions = createBatch<Use>(logger, {
    keyOf: ({ sessionId }) => sessionId,
    write: (uses) => write(pool, uses),
  });
  const keys = createBatch<KeyUse>(logger, { keyOf: ({ keyId }) => keyId, write: (uses) => writeKeys(pool, uses) });
  const firstRequests = createFirstRequests(pool, logger);
  return {
    record: sessions.add,
    recordKeyUse: keys.add,
    recordFirstRequest: firstRequests.record,
    flush: async () => {
      await Promise.all([sessions.flush(), keys.flush(), firstRequests.flush()]);
    },
    forgetUser: async (userId) => {
      sessions.drop((use) => use.userId === userId);
      keys.drop((use) => use.ownerId === userId);
      rejections?.drop((row) => row.userId === userId);
      await forgettingPool.query('delete from activity.sessions where user_id = $1', [userId]);
      await forgettingPool.query('delete from activity.users where user_id = $1', [userId]);
      await forgettingPool.query('delete from activity.api_keys where owner_id = $1', [userId]);
      await forgettingPool.query('delete from activity.throttled_accounts where user_id = $1', [userId]);
      await anonymizeRejections(forgettingPool, userId);
      await anonymizeRejectedRequests(forgettingPool, userId);
    },
    forgetTeam: async (teamId) => {
      keys.drop((use) => use.ownerId === teamId);
      await forgettingPool.query('delete from activity.api_keys where owner_id = $1', [teamId]);
    },
    forgetProject: async (projectId, signal) => {
      sessions.drop((use) => use.projectId === projectId);
      keys.drop((use) => use.projectId === projectId);
      firstRequests.drop(projectId);
      rejections?.drop((row) => row.projectId === projectId);
      for (const table of projectTables) await deleteRowsOf(forgettingPool, table, projectId, signal);
    },
    close: async () => {
      await Promise.all([sessions.close(), keys.close(), firstRequests.close()]);
    },
  };
}

const projectTables = [
  'sessions',
  'users',
  'days',
  'active_users',
  'counts',
  'metric_progress',
  'metric_counts',
  'metric_users',
  'user_batch_users',
  'user_batches',
  'api_keys',
  'first_requests',
  'rejections',
  'rejected_requests',
  'throttled_accounts',
] as const;
const maxDeletedRows = 10_000;

/** In slices, so that no statement runs for long or locks many rows. */
async function deleteRowsOf(
  pool: Pool,
  table: (typeof projectTables)[number],
  projectId: string,
  signal?: AbortSignal,
): Promise<void> {
  const text = `delete from activity.${table} where ctid = any (array(
    select ctid from activity.${table} where project_id = $1 limit ${maxDeletedRows}))`;
  for (let deleted: number | null = maxDeletedRows; deleted === maxDeletedRows; ) {
    signal?.throwIfAborted();
    ({ rowCount: deleted } = await pool.query(text, [projectId]));
  }
}

async function writeKeys(pool: Pool, batch: readonly KeyUse[]): Promise<void> {
  await pool.query(
    `insert into activity.api_keys (key_id, owner_id, project_id, last_used_at)
     select k."keyId", k."ownerId", k."projectId", k.at
     from json_to_recordset($1::json) as k("keyId" uuid, "ownerId" uuid, "projectId" text, at timestamptz) order by 1
     on conflict (key_id) do update
     set last_used_at = greatest(activity.api_keys.last_used_at, excluded.last_used_at)`,
    [JSON.stringify(batch)],
  );
}

const uses = `json_to_recordset($1::json) as u(
  "sessionId" uuid, "userId" uuid, "projectId" text, at timestamptz, ip text, country text,
  device text, language text)`;

/** The newest known value of a user's uses: one of them can lack what another one names. */
const latest = (column: string) => `(array_agg(${column} order by at desc) filter (where ${column} is not null))[1]`;

/** Losing the last second costs nothing, so the commit need not reach the disk. */
async function write(pool: Pool, batch: readonly Use[]): Promise<void> {
  const json = JSON.stringify(batch);
  await inTransaction(pool, async (tx) => {
    await tx.query('set local synchronous_commit = off');
    await tx.query(
      `insert into activity.sessions (session_id, user_id, project_id, last_used_at, ip, country)
       select "sessionId", "userId", "projectId", at, ip, country from ${uses} order by "sessionId"
       on conflict (session_id) do update
       set last_used_at = greatest(activity.sessions.last_used_at, excluded.last_used_at), ip = excluded.ip, country = excluded.country`,
      [json],
    );
    await tx.query(
      `insert into activity.users (user_id, project_id, last_active_at, country, device, language)
       select "userId", min("projectId"), max(at), ${latest('country')}, ${latest('device')}, ${latest('language')}
       from ${uses} group by 1 order by 1
       on conflict (user_id) do update
       set last_active_at = greatest(activity.users.last_active_at, excluded.last_active_at),
           country = coalesce(excluded.country, activity.users.country),
           device = coalesce(excluded.device, activity.users.device),
           language = coalesce(excluded.language, activity.users.language)`,
      [json],
    );
    await tx.query(
      `insert into activity.days as d (project_id, day, user_id, hours)
       select "projectId", (at at time zone 'UTC')::date, "userId",
         bit_or(1 << extract(hour from at at time zone 'UTC')::int)
       from ${uses} group by 1, 2, 3 order by 1, 2, 3
       on conflict (project_id, day, user_id) do update set hours = d.hours | excluded.hours
       where d.hours | excluded.hours <> d.hours`,
      [json],
    );
  });
}
