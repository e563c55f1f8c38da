import type { ClientUserView } from '@gatebook/contract/users';
import { type AppMethods, appMethods } from './app-methods.ts';
import { createAppParts } from './app-parts.ts';
import { type CurrentUser, toCurrentUser } from './current-user.ts';
import { appFromJson, type ClientAppJson, registerApp } from './internals.ts';
import { type GatebookClientAppOptions, withInherited } from './options.ts';
import { withHooks } from './reads.ts';
import type { SessionParts } from './session-methods.ts';
import type { GetUserOptions } from './user-lookup.ts';

type UserMethods<User> = {
  getUser(options: GetUserOptions & { or: 'redirect' | 'throw' | 'anonymous' }): Promise<User>;
  getUser(options?: GetUserOptions): Promise<User | null>;
};
/** The app of a browser, or of a server that acts for one user. */
export type GatebookClientApp<ProjectId extends string = string, User = CurrentUser> = AppMethods<ProjectId> &
  UserMethods<User>;

export const GatebookClientApp = function construct(given: GatebookClientAppOptions): GatebookClientApp {
  return createClientApp(withInherited(given), () => ({}));
} as unknown as new <ProjectId extends string = string>(
  options: GatebookClientAppOptions & { projectId?: ProjectId },
) => GatebookClientApp<ProjectId>;

/** `methodsOf`: what the current user has besides. */
export function createClientApp<Methods extends object>(
  options: GatebookClientAppOptions,
  methodsOf: (session: SessionParts) => Methods,
): GatebookClientApp<string, CurrentUser & Methods> {
  const parts = createAppParts<CurrentUser & Methods>(options, {
    fetchUser: ({ send }) => send<ClientUserView>('GET', '/users/me'),
    toUser: (session, view) => toCurrentUser(session, view as ClientUserView, methodsOf(session)),
  });
  const getUser = parts.getUser as UserMethods<CurrentUser & Methods>['getUser'];
  const app = withHooks(parts, { ...appMethods(parts), getUser });
  registerApp(app);
  return app;
}

/** The app that became this JSON, in the process where it did; otherwise one like it. @throws Error for another app */
export const fromClientJson = (json: ClientAppJson): GatebookClientApp =>
  appFromJson(json, (options) => new GatebookClientApp(options));
