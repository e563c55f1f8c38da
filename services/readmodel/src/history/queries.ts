import { defineQuery, type ReadDb } from '../read-db.ts';
import { primaryEmail } from '../users/queries.ts';

export type HistoryRow = {
  /** Position in the log as text, because it may exceed a number. */
  position: string;
  eventId: string;
  type: string;
  actorKind: string;
  actorId: string | null;
  /**
   * Name or email of the acting user, if that user belongs to this project or `internal` and still exists; for a
   * project key, its description.
   */
  actorName: string | null;
  /** Who acted for that user. */
  impersonatorKind: string | null;
  impersonatorId: string | null;
  impersonatorName: string | null;
  details: Readonly<Record<string, unknown>> | null;
  /** Name of the team concerned, while it exists. */
  teamName: string | null;
  /** The contact channel concerned, as it was then. */
  channelValue: string | null;
  at: number;
};

/** Name of the user or owner, or description of the project key, while it exists. */
const nameOfActor = (schema: string, role: 'actor' | 'impersonator') => `case
    when h.${role}_kind in ('user', 'owner') then (
      select coalesce(u.display_name, ${primaryEmail()}) from ${schema}.users u
      where u.id = h.${role}_id::uuid and u.project_id in (h.project_id, 'internal'))
    when h.${role}_kind in ('server', 'admin') then (
      select k.description from ${schema}.project_keys k
      where k.id = h.${role}_id::uuid and k.project_id = h.project_id)
  end`;

const listHistoryQuery = defineQuery({
  name: 'list-user-history',
  withOwners: true,
  sql: (schema: string) => `select h.position::text, h.event_id as "eventId", h.type, h.actor_kind as "actorKind",
      h.actor_id as "actorId", ${nameOfActor(schema, 'actor')} as "actorName",
      h.impersonator_kind as "impersonatorKind", h.impersonator_id as "impersonatorId",
      ${nameOfActor(schema, 'impersonator')} as "impersonatorName",
      h.details, t.display_name as "teamName", v.value as "channelValue",
      (extract(epoch from h.at) * 1000)::float8 as at
    from ${schema}.user_history h
    left join ${schema}.teams t on t.id = (h.details->>'teamId')::uuid and t.project_id = h.project_id
    left join lateral (
      select p.details->>'value' as value from ${schema}.user_history p
      where h.details->>'channelId' is not null and p.user_id = h.user_id and p.position <= h.position
        and p.details->>'channelId' = h.details->>'channelId' and p.details->>'value' is not null
      order by p.position desc limit 1
    ) v on true
    where h.project_id = $1 and h.user_id = $2 and ($3::bigint is null or h.position < $3)
    order by h.position desc limit $4`,
});

/** A user's history before a log position (null: from now), newest first. `nextBefore` is null at the end. */
export async function listUserHistory(
  db: ReadDb,
  projectId: string,
  userId: string,
  { before, limit }: { before: bigint | null; limit: number },
): Promise<{ items: HistoryRow[]; nextBefore: bigint | null }> {
  const rows = await db.rows<HistoryRow>(listHistoryQuery, [projectId, userId, before, limit + 1]);
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  return { items, nextBefore: rows.length > limit && last ? BigInt(last.position) : null };
}
