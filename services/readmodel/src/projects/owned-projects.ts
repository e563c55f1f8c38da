/**
 * The projects that user `u` owns, directly or as a member of the team that owns them, each with the log position of
 * becoming owner. Anonymous users own none.
 */
export const ownedProjects = (schema: string) => `(
    select owned.project_id, min(owned.since) as since from (
      select o.project_id, o.since from ${schema}.project_owners o where o.user_id = u.id
      union all
      select o.project_id, greatest(o.since, m.since) from ${schema}.project_owner_teams o
        join ${schema}.teams t on t.id = o.team_id
        join ${schema}.team_members m on m.team_id = t.id where m.user_id = u.id and not u.is_anonymous
    ) owned group by owned.project_id
  )`;

/** Whether user `u` owns the project whose ID is the parameter `$n`. */
export const isOwnerOf = (schema: string, projectId: `$${number}`) => `(
    exists (select from ${schema}.project_owners o where o.user_id = u.id and o.project_id = ${projectId})
    or exists (select from ${schema}.project_owner_teams o join ${schema}.teams t on t.id = o.team_id
      join ${schema}.team_members m on m.team_id = t.id and m.user_id = u.id
      where o.project_id = ${projectId} and not u.is_anonymous)
  )`;
