import type { ProjectView } from '@gatebook/contract/projects';
import { type DeletedProject, ownedProjectsClient } from '../owned-projects.ts';
import type { GatebookAdminApp, OwnedApp } from './admin-app.ts';
import type { AdminProject, AdminProjectUpdateOptions } from './admin-projects.ts';
import type { Read } from './cache.ts';
import type { Connection } from './connection.ts';
import { toWire } from './fields.ts';
import { createRead, fetchList } from './reads.ts';

/** A project of the signed-in owner, with an app that administers it in the owner's session. */
export type AdminOwnedProject = AdminProject & { readonly app: GatebookAdminApp };
/** A project that can be restored until `erasedAt`. Its app can do nothing else. */
export type DeletedOwnedProject = DeletedProject & {
  readonly app: GatebookAdminApp;
  restore(): Promise<void>;
  /** Without a grace period. */
  erase(): Promise<void>;
};
/** `teamId`: a team of `internal` that becomes the owner. Without one, the user does. */
export type AdminProjectCreateOptions = AdminProjectUpdateOptions & { displayName: string; teamId?: string | null };

/** Only users of the project `internal` have these. */
export type InternalUserMethods = {
  /** Also those of the user's teams. */
  listOwnedProjects: Read<[], AdminOwnedProject[]>;
  /** Those first that are erased first. */
  listDeletedProjects: Read<[], DeletedOwnedProject[]>;
  createProject(options: AdminProjectCreateOptions): Promise<AdminOwnedProject>;
  /** To a team of the user, as the only owner. */
  transferProject(projectId: string, teamId: string): Promise<void>;
};

const path = '/internal/projects';
const deletedPath = '/internal/deleted-projects';

export function internalUserMethods(
  connection: Connection,
  administer: (projectId: string) => OwnedApp,
): InternalUserMethods {
  const { send, cache } = connection;
  const changing = async <Value>(call: Promise<Value>): Promise<Value> => {
    const value = await call;
    await cache.refresh(path, deletedPath);
    return value;
  };
  const toOwned = (view: ProjectView): AdminOwnedProject => {
    const { app, toProject } = administer(view.id);
    const project = toProject(view);
    return {
      ...project,
      app,
      update: (options) => changing(project.update(options)),
      delete: () => changing(project.delete()),
    };
  };
  const toDeleted = (project: DeletedProject): DeletedOwnedProject => {
    const { app } = administer(project.id);
    const restore = () => changing(app.restoreProject());
    return { ...project, app, restore, erase: () => changing(app.eraseProject()) };
  };
  return {
    listOwnedProjects: createRead(
      connection,
      () => path,
      async () => (await fetchList<ProjectView>(send, path)).map(toOwned),
    ),
    listDeletedProjects: createRead(
      connection,
      () => deletedPath,
      async () => (await ownedProjectsClient(send).listDeleted()).map(toDeleted),
    ),
    createProject: async ({ teamId: owner_team_id, ...options }) =>
      toOwned(await changing(send<ProjectView>('POST', path, { ...toWire(options), owner_team_id }))),
    transferProject: async (project_id, new_team_id) => {
      await changing(send('POST', `${path}/transfer`, { project_id, new_team_id }));
    },
  };
}
