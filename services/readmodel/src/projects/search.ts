import type { ProjectRole } from '@gatebook/domain/project/roles';
import { defineCrossProjectPagedQuery, type Listed, listCrossProjectPage, type Page } from '../list-pages.ts';
import type { ReadDb } from '../read-db.ts';
import { nameKeyOf } from '../teams/team-columns.ts';
import { partOf } from '../users/list-filters.ts';
import { memberProjects } from './member-projects.ts';

/** A project in a list for its members, without its configuration, which can be large. */
export type ProjectOverviewRow = {
  id: string;
  displayName: string;
  description: string;
  isProductionMode: boolean;
  userCount: number;
  role: ProjectRole;
  createdAt: number;
  /** When one of its users was last active. */
  lastActiveAt: number | null;
};

const projectOrders = ['display_name', 'created_at', 'user_count', 'last_active_at'] as const;
export type ProjectOrder = (typeof projectOrders)[number];
/** `query`: part of the name or the ID. `id`: of the only project; null for all. */
export type ProjectSearch = { orderBy: ProjectOrder; isDescending: boolean; query: string | null; id: string | null };

const sortColumns = {
  display_name: { [nameKeyOf('p.display_name')]: 'text' },
  created_at: { 'p.created_at': 'time' },
  user_count: { 'p.user_count': 'position' },
  last_active_at: { "coalesce(p.last_active_at, 'epoch')": 'time' },
} as const;
const projectId = 'p.id collate "C"';

const queriesOf = (orderBy: ProjectOrder) => {
  const define = (isDescending: boolean) =>
    defineCrossProjectPagedQuery({
      name: `search-projects-by-${orderBy}${isDescending ? '-descending' : ''}`,
      sortedBy: { ...sortColumns[orderBy], [projectId]: 'text' },
      isDescending,
      values: 3,
      sql: (schema, page) => `select p.id, p.display_name as "displayName", p.description,
          p.is_production_mode as "isProductionMode", p.user_count as "userCount", p.role,
          (extract(epoch from p.created_at) * 1000)::float8 as "createdAt",
          (extract(epoch from p.last_active_at) * 1000)::float8 as "lastActiveAt", ${page.key}
        from (
          select p.*, o.role, (select a.last_active_at from activity.users a where a.project_id = p.id
            order by a.last_active_at desc limit 1) as last_active_at
          from ${schema}.users u cross join lateral ${memberProjects(schema)} o
            join ${schema}.projects p on p.id = o.project_id
          where u.id = $1 and ($2::text is null or p.display_name ilike $2 or p.id ilike $2)
            and ($3::text is null or p.id = $3)
        ) p where ${page.from} ${page.end}`,
    });
  return { ascending: define(false), descending: define(true) };
};
const queries = {
  display_name: queriesOf('display_name'),
  created_at: queriesOf('created_at'),
  user_count: queriesOf('user_count'),
  last_active_at: queriesOf('last_active_at'),
};

/** Forms of the texts in sort keys of an order. */
export const projectSearchKeys = (orderBy: ProjectOrder) => queries[orderBy].ascending.forms;

/** Projects in which a user of `internal` has a role. */
export function searchOwnedProjects(
  db: ReadDb,
  userId: string,
  { orderBy, isDescending, query, id }: ProjectSearch,
  page: Page,
): Promise<Listed<ProjectOverviewRow>> {
  const { ascending, descending } = queries[orderBy];
  const values = [userId, query ? partOf(query) : null, id];
  return listCrossProjectPage<ProjectOverviewRow>(db, isDescending ? descending : ascending, values, page);
}
