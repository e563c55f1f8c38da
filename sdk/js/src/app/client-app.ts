import type { ClientUserView } from '@gatebook/contract/users';
import { type AppMethods, appMethods } from './app-methods.ts';
import { type AppParts, createAppParts } from './app-parts.ts';
import type { Connection } from './connection.ts';
import { type CurrentInternalUser, type CurrentUser, toCurrentUser } from './current-user.ts';
import { appFromJson, type ClientAppJson, registerApp } from './internals.ts';
import { type GatebookClientAppOptions, withInherited } from './options.ts';
import { withHooks } from './reads.ts';
import type { GetUserOptions } from './user-lookup.ts';

type CurrentUserOf<ProjectId extends string> = ProjectId extends 'internal' ? CurrentInternalUser : CurrentUser;

/** The app of a browser, or of a server that acts for one user. */
export type GatebookClientApp<ProjectId extends string = string> = AppMethods<ProjectId> & {
  getUser(options: GetUserOptions & { or: 'redirect' | 'throw' | 'anonymous' }): Promise<CurrentUserOf<ProjectId>>;
  getUser(options?: GetUserOptions): Promise<CurrentUserOf<ProjectId> | null>;
};

export const GatebookClientApp = function construct(given: GatebookClientAppOptions): GatebookClientApp {
  const options = withInherited(given);
  const parts: AppParts<CurrentUser> = createAppParts<CurrentUser>(options, {
    fetchUser: ({ send }) => send<ClientUserView>('GET', '/users/me'),
    toUser: (session, view) => {
      const isOwner = parts.server.projectId === 'internal';
      const administer = isOwner ? administerWith(options, session.connection) : null;
      return toCurrentUser(session, view as ClientUserView, administer);
    },
  });
  const app = withHooks(parts, { ...appMethods(parts), getUser: parts.getUser as GatebookClientApp['getUser'] });
  registerApp(app);
  return app;
} as unknown as new <ProjectId extends string = string>(
  options: GatebookClientAppOptions & { projectId?: ProjectId },
) => GatebookClientApp<ProjectId>;

/** The app that became this JSON, in the process where it did; otherwise one like it. @throws Error for another app */
export const fromClientJson = (json: ClientAppJson): GatebookClientApp =>
  appFromJson(json, (options) => new GatebookClientApp(options));

/** Apps of projects that the user of a session owns. */
function administerWith(
  { baseUrl, extraRequestHeaders, redirectMethod, parts, useResource }: GatebookClientAppOptions,
  { session }: Connection,
) {
  return async (projectId: string) => {
    const { createOwnedApp } = await import('./admin-app.ts');
    const shared = { baseUrl, extraRequestHeaders, redirectMethod, parts, useResource };
    return createOwnedApp(withInherited({ ...shared, projectId, projectOwnerSession: session, tokenStore: null }));
  };
}
