import { defineQuery, type ReadDb } from '../read-db.ts';

export type UserActivityRow = {
  /** ISO 3166 alpha-2; of the last use with a known country. */
  country: string | null;
  /** The language of the last use that named one. */
  language: string | null;
  /** UTC days (YYYY-MM-DD) on which the user was active, newest first. Days older than 32 days are forgotten. */
  days: string[];
};

/** Looks up each day by itself: the index leads with the day, and a day of a project contains all of its users. */
const userActivityQuery = defineQuery({
  name: 'find-user-activity',
  sql: () => `select
      (select u.country from activity.users u where u.user_id = $2 and u.project_id = $1) as country,
      (select u.language from activity.users u where u.user_id = $2 and u.project_id = $1) as language,
      array(select d.day::text from activity.days d
        where d.project_id = $1 and d.user_id = $2 and d.day = any (array(
          select generate_series(current_date - 60, current_date + 1, interval '1 day')::date))
        order by d.day desc) as days`,
});

/** No days for an unknown user. */
export async function findUserActivity(db: ReadDb, projectId: string, userId: string): Promise<UserActivityRow> {
  const [row] = await db.rows<UserActivityRow>(userActivityQuery, [projectId, userId]);
  return row ?? { country: null, language: null, days: [] };
}

const userLanguageQuery = defineQuery({
  name: 'find-user-language',
  sql: () => 'select u.language from activity.users u where u.project_id = $1 and u.user_id = $2',
});

/** The language of the user's latest sign-in or refresh that named one. */
export async function findUserLanguage(db: ReadDb, projectId: string, userId: string): Promise<string | null> {
  const [row] = await db.rows<{ language: string | null }>(userLanguageQuery, [projectId, userId]);
  return row?.language ?? null;
}

/** Milliseconds since 1970. */
export type KeyLastUsed = { keyId: string; lastUsedAt: number };

const keyUsesQuery = defineQuery({
  name: 'list-key-uses',
  sql: () => `select k.key_id as "keyId", (extract(epoch from k.last_used_at) * 1000)::float8 as "lastUsedAt"
    from activity.api_keys k where k.project_id = $1 and k.owner_id = $2`,
});

/** When the keys of a user or a team were last used; unused keys are left out. */
export function listKeyUses(db: ReadDb, projectId: string, ownerId: string): Promise<KeyLastUsed[]> {
  return db.rows<KeyLastUsed>(keyUsesQuery, [projectId, ownerId]);
}

/** A failed request. Times in milliseconds since 1970. */
export type RejectedRequestRow = {
  at: number;
  windowAt: number;
  code: string;
  status: number;
  route: string;
  accessType: string | null;
  actorKind: string | null;
  actorId: string | null;
  impersonatorKind: string | null;
  impersonatorId: string | null;
  userId: string | null;
  network: string | null;
  teamId: string | null;
  permissionId: string | null;
};

const rejectedRequestQuery = defineQuery({
  name: 'find-rejected-request',
  sql: () => `select (extract(epoch from r.at) * 1000)::float8 as at,
      (extract(epoch from r.window_at) * 1000)::float8 as "windowAt", r.code, r.status, r.route,
      r.access_type as "accessType", r.actor_kind as "actorKind", r.actor_id as "actorId",
      r.impersonator_kind as "impersonatorKind", r.impersonator_id as "impersonatorId", r.user_id as "userId",
      r.network, r.team_id as "teamId", r.permission_id as "permissionId"
    from activity.rejected_requests r where r.project_id = $1 and r.request_id = $2`,
});

export async function findRejectedRequest(
  db: ReadDb,
  projectId: string,
  requestId: string,
): Promise<RejectedRequestRow | null> {
  const [row] = await db.rows<RejectedRequestRow>(rejectedRequestQuery, [projectId, requestId]);
  return row ?? null;
}

const latestRejectionQuery = defineQuery({
  name: 'find-latest-rejection',
  sql: () => `select r.request_id as "requestId", (extract(epoch from r.at) * 1000)::float8 as at, r.code, r.route
    from activity.rejected_requests r
    where r.project_id = $1 and r.window_at >= $2::timestamptz - interval '5 minutes' and r.at >= $2
      and r.actor_kind is distinct from 'owner' and r.code <> all($3::text[])
    order by r.at desc limit 1`,
});

export type LatestRejectionRow = Pick<RejectedRequestRow, 'at' | 'code' | 'route'> & { requestId: string };

/** The latest request since a time, in milliseconds, that failed and was not an owner's. */
export async function findLatestRejection(
  db: ReadDb,
  projectId: string,
  { since, without }: { since: number; without: readonly string[] },
): Promise<LatestRejectionRow | null> {
  const [row] = await db.rows<LatestRejectionRow>(latestRejectionQuery, [projectId, new Date(since), without]);
  return row ?? null;
}

/** Rejections of a window with one code and route, and how many of them are kept as single requests. */
export type RejectionCountRow = { windowAt: number; code: string; route: string; count: number; kept: number };

const rejectionCountsQuery = defineQuery({
  name: 'count-rejections',
  sql: () => `select (extract(epoch from r.window_at) * 1000)::float8 as "windowAt", r.code, r.route,
      sum(r.count)::float8 as count,
      (select count(*)::int from activity.rejected_requests k
        where k.project_id = $1 and k.window_at = r.window_at and k.code = r.code and k.route = r.route) as kept
    from activity.rejections r where r.project_id = $1 and r.window_at between $2 and $3
    group by r.window_at, r.code, r.route order by 4 desc, r.code, r.route limit 200`,
});

/** The rejections of the windows that begin from `from` to `until`, in milliseconds; the most frequent first. */
export function countRejections(
  db: ReadDb,
  projectId: string,
  { from, until }: { from: number; until: number },
): Promise<RejectionCountRow[]> {
  return db.rows<RejectionCountRow>(rejectionCountsQuery, [projectId, new Date(from), new Date(until)]);
}
