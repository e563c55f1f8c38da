import { defineQuery, type ReadDb } from '../read-db.ts';

export type UserActivityRow = {
  /** ISO 3166 alpha-2; of the last use with a known country. */
  country: string | null;
  /** UTC days (YYYY-MM-DD) on which the user was active, newest first. Days older than 32 days are forgotten. */
  days: string[];
};

/** Looks up each day by itself: the index leads with the day, and a day of a project contains all of its users. */
const userActivityQuery = defineQuery({
  name: 'find-user-activity',
  sql: () => `select
      (select u.country from activity.users u where u.user_id = $2 and u.project_id = $1) as country,
      array(select d.day::text from activity.days d
        where d.project_id = $1 and d.user_id = $2 and d.day = any (array(
          select generate_series(current_date - 60, current_date + 1, interval '1 day')::date))
        order by d.day desc) as days`,
});

/** No days for an unknown user. */
export async function findUserActivity(db: ReadDb, projectId: string, userId: string): Promise<UserActivityRow> {
  const [row] = await db.rows<UserActivityRow>(userActivityQuery, [projectId, userId]);
  return row ?? { country: null, days: [] };
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
