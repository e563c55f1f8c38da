import { createOwnedApp } from './admin-app.ts';
import { createClientApp, type GatebookClientApp } from './client-app.ts';
import type { CurrentUser } from './current-user.ts';
import { type InternalUserMethods, internalUserMethods } from './internal-user.ts';
import { type GatebookClientAppOptions, withInherited } from './options.ts';

/** An owner of projects, who is a user of the project `internal`. */
export type CurrentInternalUser = CurrentUser & InternalUserMethods;

/** The client app of the project `internal`, whose users own the other projects. */
export type GatebookOwnerApp = GatebookClientApp<'internal', CurrentInternalUser>;

export const GatebookOwnerApp = function construct(given: GatebookClientAppOptions) {
  const options = withInherited({ ...given, projectId: 'internal' });
  const { baseUrl, extraRequestHeaders, redirectMethod, parts, useResource } = options;
  const shared = { baseUrl, extraRequestHeaders, redirectMethod, parts, useResource };
  return createClientApp(options, ({ connection }) =>
    internalUserMethods(connection, (projectId) =>
      createOwnedApp(
        withInherited({ ...shared, projectId, projectOwnerSession: connection.session, tokenStore: null }),
      ),
    ),
  );
} as unknown as new (
  options: GatebookClientAppOptions,
) => GatebookOwnerApp;
