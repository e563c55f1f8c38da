/**
 * The projects of user `u`, as a member or as one of the team that owns them, each with the role and the log position
 * of getting it. Anonymous users have none.
 */
export const memberProjects = (schema: string) => `(
    select held.project_id, min(held.since) as since,
      case when bool_or(held.role = 'owner') then 'owner' else min(held.role) end as role from (
      select o.project_id, o.since, o.role from ${schema}.project_members o where o.user_id = u.id
      union all
      select o.project_id, greatest(o.since, m.since), 'owner' from ${schema}.project_owner_teams o
        join ${schema}.teams t on t.id = o.team_id
        join ${schema}.team_members m on m.team_id = t.id where m.user_id = u.id and not u.is_anonymous
    ) held group by held.project_id
  )`;

/** The role of user `u` in the project whose ID is the parameter `$n`; null for no member. */
export const roleIn = (schema: string, projectId: `$${number}`) => `(
    case when exists (select from ${schema}.project_owner_teams o join ${schema}.teams t on t.id = o.team_id
        join ${schema}.team_members m on m.team_id = t.id and m.user_id = u.id
        where o.project_id = ${projectId} and not u.is_anonymous) then 'owner'
      else (select o.role from ${schema}.project_members o where o.user_id = u.id and o.project_id = ${projectId}) end
  )`;
