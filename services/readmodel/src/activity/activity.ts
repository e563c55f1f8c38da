import type { Logger } from '@gatebook/runtime/logger';
import { inTransaction, migrate, type Pool } from '@gatebook/runtime/postgres';

export type Use = {
  projectId: string;
  userId: string;
  sessionId: string;
  /** ISO 8601. */
  at: string;
  ip: string | null;
  /** ISO 3166 alpha-2. */
  country: string | null;
};

export type Activity = {
  /** Remembers that a session was used; written a moment later, at most once a minute for each session. */
  record(use: Use): void;
  /** Writes what is remembered. */
  flush(): Promise<void>;
  /** Removes what is known of a deleted user; the days' counts stay. */
  forgetUser(userId: string): Promise<void>;
  /** Removes days before `day` (YYYY-MM-DD). */
  forgetDaysBefore(day: string): Promise<void>;
  close(): Promise<void>;
};

const writeEveryMs = 1000;
const coalesceMs = 60_000;
const maxRemembered = 100_000;

export async function migrateActivity(pool: Pool): Promise<void> {
  await migrate(pool, new URL('./migrations/', import.meta.url), 'activity');
}

export function createActivity({ pool, logger }: { pool: Pool; logger: Logger }): Activity {
  let waiting = new Map<string, Use>();
  const lastRecorded = new Map<string, number>();
  let writing: Promise<void> = Promise.resolve();
  const timer = setInterval(() => {
    flush().catch((error: unknown) => logger.warn({ err: error }, 'activity could not be written'));
  }, writeEveryMs);
  timer.unref();

  function record(use: Use): void {
    const at = Date.parse(use.at);
    const last = lastRecorded.get(use.sessionId);
    if (last !== undefined && at - last < coalesceMs) return;
    if (lastRecorded.size >= maxRemembered) lastRecorded.clear();
    lastRecorded.set(use.sessionId, at);
    waiting.set(use.sessionId, use);
  }

  function flush(): Promise<void> {
    const uses = [...waiting.values()];
    waiting = new Map();
    if (uses.length > 0) writing = writing.catch(() => undefined).then(() => write(pool, uses));
    return writing;
  }

  return {
    record,
    flush,
    forgetUser: async (userId) => {
      for (const [sessionId, use] of waiting) if (use.userId === userId) waiting.delete(sessionId);
      await pool.query('delete from activity.sessions where user_id = $1', [userId]);
      await pool.query('delete from activity.users where user_id = $1', [userId]);
    },
    forgetDaysBefore: async (day) => {
      await pool.query('delete from activity.days where day < $1', [day]);
    },
    close: async () => {
      clearInterval(timer);
      await flush();
    },
  };
}

const uses = `json_to_recordset($1::json) as u(
  "sessionId" uuid, "userId" uuid, "projectId" text, at timestamptz, ip text, country text)`;

/** Losing the last second of it costs nothing, so that the commit need not be on disk. */
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
      `insert into activity.users (user_id, project_id, last_active_at, country)
       select distinct on ("userId") "userId", "projectId", at, country from ${uses} order by "userId", at desc
       on conflict (user_id) do update
       set last_active_at = greatest(activity.users.last_active_at, excluded.last_active_at),
           country = coalesce(excluded.country, activity.users.country)`,
      [json],
    );
    await tx.query(
      `insert into activity.days (project_id, day, user_id)
       select distinct "projectId", (at at time zone 'UTC')::date, "userId" from ${uses} order by 1, 2, 3
       on conflict do nothing`,
      [json],
    );
  });
}
