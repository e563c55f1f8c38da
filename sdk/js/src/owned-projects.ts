import type { DeletedProjectListView } from '@gatebook/contract/deleted-projects';
import type { NewProject, ProjectOverviewList, ProjectTransfer, ProjectView } from '@gatebook/contract/projects';
import type { PreviewedCall } from './changes.ts';
import { type ListPage, type PageQuery, toListPage, toPageParams } from './list-pages.ts';
import type { OwnTeam } from './own-teams.ts';
import { type Project, type ProjectChanges, projectFromWire, projectToWire } from './projects.ts';
import type { Send } from './transport.ts';

/** A project in a list, without its configuration. `lastActiveAt`: of any of its users. */
export type ProjectOverview = Omit<Project, 'config' | 'ownerTeamId'> & { lastActiveAt: Date | null };
export type ProjectOrder = 'displayName' | 'createdAt' | 'userCount' | 'lastActiveAt';
/** `query`: part of a name or an ID. `id`: of the only project. */
export type SearchProjects = PageQuery & { query?: string; id?: string; orderBy?: ProjectOrder; desc?: boolean };
/** A project that its owners can restore until `erasedAt`, with everything in it. */
export type DeletedProject = { id: string; displayName: string; createdAt: Date; deletedAt: Date; erasedAt: Date };

/** Projects of the signed-in owner; requires a client of `internal`. */
export type OwnedProjectsClient = {
  /** Projects in which the caller has a role, by name unless `orderBy` says otherwise. */
  search(query: SearchProjects): Promise<ListPage<ProjectOverview>>;
  /** `ownerTeamId`: a team of the caller, which becomes the owner instead of the caller. */
  create(input: ProjectChanges & { displayName: string; ownerTeamId?: string | null }): Promise<Project>;
  /** Makes a team of the caller the only owner. */
  transfer(projectId: string, teamId: string): Promise<void>;
  /** Teams of the caller, which can own projects. Oldest first. */
  listOwnerTeams(): Promise<readonly OwnTeam[]>;
  /** Those first that are erased first. */
  listDeleted(): Promise<readonly DeletedProject[]>;
};

/** What `transfer` calls, for a preview by `OwnerClient.changes`. */
export const callOfProjectTransfer = (projectId: string, teamId: string): PreviewedCall => ({
  method: 'POST',
  path: '/internal/projects/transfer',
  body: { project_id: projectId, new_team_id: teamId } satisfies ProjectTransfer,
});

const wireOrders = {
  displayName: 'display_name',
  createdAt: 'created_at',
  userCount: 'user_count',
  lastActiveAt: 'last_active_at',
} as const satisfies Record<ProjectOrder, string>;

export const ownedProjectsClient = (send: Send): OwnedProjectsClient => ({
  search: async ({ query, id, orderBy, desc, ...page }) => {
    const search = new URLSearchParams({
      ...toPageParams(page),
      ...(query && { query }),
      ...(id !== undefined && { id }),
      ...(orderBy && { order_by: wireOrders[orderBy] }),
      ...(desc && { desc: 'true' }),
    });
    return toListPage(await send<ProjectOverviewList>('GET', `/internal/projects/search?${search}`), (view) => ({
      id: view.id,
      displayName: view.display_name,
      description: view.description,
      isProductionMode: view.is_production_mode,
      userCount: view.user_count,
      role: view.role,
      createdAt: new Date(view.created_at_millis),
      lastActiveAt: view.last_active_at_millis === null ? null : new Date(view.last_active_at_millis),
    }));
  },
  create: async (input) => {
    const { displayName: display_name, ownerTeamId: owner_team_id } = input;
    const body: NewProject = { ...projectToWire(input), display_name, owner_team_id };
    return projectFromWire(await send<ProjectView>('POST', '/internal/projects', body));
  },
  transfer: async (projectId, teamId) => {
    const { method, path, body } = callOfProjectTransfer(projectId, teamId);
    await send(method, path, body);
  },
  listOwnerTeams: async () => (await import('./own-teams.ts')).ownTeamsClient(send).list(),
  listDeleted: async () =>
    (await send<DeletedProjectListView>('GET', '/internal/deleted-projects')).items.map((view) => ({
      id: view.id,
      displayName: view.display_name,
      createdAt: new Date(view.created_at_millis),
      deletedAt: new Date(view.deleted_at_millis),
      erasedAt: new Date(view.erased_at_millis),
    })),
});
