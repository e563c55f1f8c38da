import { definePagedQuery, type Listed, listPage, type Page } from '../list-pages.ts';
import { ofFoundRow, type ReadDb } from '../read-db.ts';
import { idIn, partOf } from '../users/list-filters.ts';
import { nameKeyOf } from './team-columns.ts';

/** A team in a list for owners, without its metadata and image, which can be large. */
export type TeamOverviewRow = { id: string; displayName: string; createdAt: number; memberCount: number };

const teamOrders = ['created_at', 'display_name', 'member_count'] as const;
export type TeamOrder = (typeof teamOrders)[number];
/** `query`: part of the name, or a whole ID; null or empty for all teams. */
export type TeamSearch = { orderBy: TeamOrder; isDescending: boolean; query: string | null };

const overview = `t.id, t.display_name as "displayName",
  (extract(epoch from t.created_at) * 1000)::float8 as "createdAt", s.count as "memberCount"`;
const isSought = `($2::text is null or t.display_name ilike $2 or t.id = $3::uuid)`;

const sorted = {
  created_at: { 't.created_at': 'time', 't.id': 'uuid' },
  display_name: { [nameKeyOf('t.display_name')]: 'text', 't.id': 'uuid' },
  member_count: { 's.count': 'position', 's.team_id': 'uuid' },
} as const;

const queriesOf = (orderBy: TeamOrder) => {
  const define = (isDescending: boolean) =>
    definePagedQuery({
      name: `search-teams-by-${orderBy}${isDescending ? '-descending' : ''}`,
      isDescending,
      isHot: true,
      values: 3,
      sortedBy: sorted[orderBy],
      sql: (schema, page) => `select ${overview}, ${page.key}
        from ${schema}.teams t join ${schema}.team_sizes${ofFoundRow} s on s.team_id = t.id
        where t.project_id = $1 and s.project_id = $1 and ${isSought} and ${page.from} ${page.end}`,
    });
  return { ascending: define(false), descending: define(true) };
};
const queries = {
  created_at: queriesOf('created_at'),
  display_name: queriesOf('display_name'),
  member_count: queriesOf('member_count'),
};

/** Forms of the texts in sort keys of an order. */
export const teamSearchKeys = (orderBy: TeamOrder) => queries[orderBy].ascending.forms;

/** Teams of a project with their numbers of members. Users who await deletion are not members. */
export function searchTeams(
  db: ReadDb,
  projectId: string,
  { orderBy, isDescending, query }: TeamSearch,
  page: Page,
): Promise<Listed<TeamOverviewRow>> {
  const { ascending, descending } = queries[orderBy];
  const sought = query ? [partOf(query), idIn(query)] : [null, null];
  return listPage<TeamOverviewRow>(db, isDescending ? descending : ascending, [projectId, ...sought], page);
}
