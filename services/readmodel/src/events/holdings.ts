import { defineQuery, ofFoundRow, type ReadDb } from '../read-db.ts';
import type { HoldingKind } from './tables.ts';

/** Rows `h` that were there just before a position. */
const isOpenBefore = (position: string) => `h.since < ${position} and (h.until is null or h.until >= ${position})`;
const isOfTeamBefore = (schema: string, position: string) =>
  `(h.team_id is null or not exists (
    select from ${schema}.ended_teams${ofFoundRow} t where t.team_id = h.team_id and t.ended < ${position}))`;

const membershipsQuery = defineQuery({
  name: 'list-memberships-at',
  group: 'events',
  sql: (schema) => `select w.nth::int - 1 as nth, h.team_id as "teamId", h.since::text
    from unnest($2::uuid[], $3::bigint[]) with ordinality w (user_id, position, nth)
    join ${schema}.holdings h on h.project_id = $1 and h.user_id = w.user_id and h.kind = 'membership'
      and ${isOpenBefore('w.position')}
    where ${isOfTeamBefore(schema, 'w.position')} order by w.nth, h.team_id`,
});

/** The teams of users just before events at these positions, each with the position at which the user joined. */
export async function listTeamsBefore(
  db: ReadDb,
  projectId: string,
  wanted: readonly { userId: string; position: bigint }[],
): Promise<ReadonlyMap<string, bigint>[]> {
  const found = wanted.map(() => new Map<string, bigint>());
  if (wanted.length === 0) return found;
  const rows = await db.rows<{ nth: number; teamId: string; since: string }>(membershipsQuery, [
    projectId,
    wanted.map(({ userId }) => userId),
    wanted.map(({ position }) => position),
  ]);
  for (const { nth, teamId, since } of rows) found[nth]?.set(teamId, BigInt(since));
  return found;
}

export type Holding = { kind: HoldingKind; teamId: string | null; permissionKey: string | null };

const holdingsQuery = defineQuery({
  name: 'list-holdings-at',
  group: 'events',
  sql: (schema) => `select h.kind, h.team_id as "teamId", h.permission_key as "permissionKey"
    from ${schema}.holdings h
    where h.project_id = $1 and h.user_id = $2 and h.kind <> 'selected_team' and ${isOpenBefore('$3::bigint')}
      and ${isOfTeamBefore(schema, '$3::bigint')} order by h.kind, h.team_id, h.permission_key`,
});

/** Memberships and permissions that a user had just before an event; memberships first. */
export const listHoldingsBefore = (
  db: ReadDb,
  projectId: string,
  { userId, position }: { userId: string; position: bigint },
): Promise<Holding[]> => db.rows<Holding>(holdingsQuery, [projectId, userId, position]);

const selectionsQuery = defineQuery({
  name: 'list-selections-at',
  group: 'events',
  sql: (schema) => `select * from (
    select h.user_id as "userId", row_number() over (order by h.user_id)::int - 1 as nth from ${schema}.holdings h
    where h.project_id = $1 and h.team_id = $2 and h.kind = 'selected_team' and ${isOpenBefore('$3::bigint')}) n
    where nth >= $4 and ($5::uuid is null or "userId" = $5) order by nth limit $6`,
});

/**
 * Who had selected a team just before an event, in an order that stays. `nth`: among all of them.
 * `from`: the first that is wanted.
 */
export const listSelectionsBefore = (
  db: ReadDb,
  projectId: string,
  { teamId, position }: { teamId: string; position: bigint },
  { from, userId, limit }: { from: number; userId: string | null; limit: number },
): Promise<{ userId: string; nth: number }[]> =>
  db.rows(selectionsQuery, [projectId, teamId, position, from, userId, limit]);
