import { GatebookClientApp } from '@gatebook/js';
import type { GatebookServerApp, ServerUser, ServerUserCreateOptions } from '@gatebook/js/server';

export type NewTestUser = ServerUserCreateOptions & {
  /** Teams of these names are created, with the user as their member. */
  teams?: readonly string[];
  /** Permissions of the project, which must exist. */
  permissions?: readonly string[];
};
/** A user who is signed in. */
export type TestUser = {
  id: string;
  email: string;
  password: string;
  /** Tokens of a session, for `tokenStore` and for the helpers of Playwright. */
  tokens: { accessToken: string; refreshToken: string };
  /** An app in this session. */
  app: GatebookClientApp;
  /** With server access. */
  server: ServerUser;
};

/** Creates users of a project. Email addresses are different and verified, unless others are given. */
export function createTestUsers(
  server: GatebookServerApp,
  options: { baseUrl: string; projectId: string },
): (given?: NewTestUser) => Promise<TestUser> {
  let count = 0;
  return async ({ teams = [], permissions = [], ...given } = {}) => {
    count += 1;
    const email = given.primaryEmail ?? `user-${count}@example.com`;
    const password = given.password ?? 'a long passphrase';
    const user = await server.createUser({
      ...{ primaryEmailVerified: true, primaryEmailAuthEnabled: true, ...given },
      ...{ primaryEmail: email, password },
    });
    for (const displayName of teams) await server.createTeam({ displayName, creatorUserId: user.id });
    for (const permission of permissions) await user.grantPermission(permission);
    const { accessToken, refreshToken } = await (await user.createSession()).getTokens();
    if (accessToken === null || refreshToken === null) throw new Error('The session has no tokens.');
    const tokens = { accessToken, refreshToken };
    const app = new GatebookClientApp({ ...options, tokenStore: tokens });
    return { id: user.id, email, password, tokens, app, server: user };
  };
}
