import { ProjectOverviewList, ProjectSearchQuery } from '@gatebook/contract/projects';
import { projectSearchKeys, searchOwnedProjects } from '@gatebook/readmodel/projects/search';
import { clientAndUp, ownerErrors, signedInOwner } from '../../access.ts';
import { defineRoute } from '../../http/define-route.ts';
import { pageOf, toPagedList } from '../../http/list-pages.ts';

const usualPage = 50;

export const searchProjectsRoute = defineRoute({
  method: 'GET',
  path: '/internal/projects/search',
  access: clientAndUp,
  errors: ownerErrors,
  tags: ['Projects'],
  summary: 'Search owned projects',
  description:
    'Called on project `internal`. Projects in which the user has a role, in pages and without their configuration. Sorted by name unless `order_by` says otherwise, without regard to case and to everything after the first 40 characters.',
  query: ProjectSearchQuery,
  response: { 200: ProjectOverviewList },
  handle: async ({ deps, request, caller, query: given }) => {
    const owner = signedInOwner(caller);
    const { order_by: orderBy = 'display_name', desc: isDescending = false, query: search = null, id = null } = given;
    const query = { ...given, limit: given.limit ?? usualPage };
    const page = pageOf(request, query, projectSearchKeys(orderBy));
    const found = await searchOwnedProjects(deps.db, owner.id, { orderBy, isDescending, query: search, id }, page);
    return toPagedList(query, found, ({ displayName, isProductionMode, userCount, ...project }) => ({
      id: project.id,
      display_name: displayName,
      description: project.description,
      is_production_mode: isProductionMode,
      user_count: userCount,
      role: project.role,
      created_at_millis: project.createdAt,
      last_active_at_millis: project.lastActiveAt,
    }));
  },
});
