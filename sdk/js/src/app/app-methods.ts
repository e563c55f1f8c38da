import { claimsOf } from '../session.ts';
import type { Urls } from '../urls.ts';
import { clientVersion } from '../version.ts';
import type { AppParts } from './app-parts.ts';
import {
  type AuthMethods,
  authMethods,
  type GetPartialUserOptions,
  readPartialUser,
  type TokenPartialUser,
  type TokenStoreOption,
} from './auth-methods.ts';
import type { Read } from './cache.ts';
import type { CliLoginOptions } from './cli-login.ts';
import { type ClientAppInternals, internalsOf } from './internals.ts';
import { type NotOffered, notOffered } from './not-offered.ts';
import { gatebookInternals } from './options.ts';
import { type Project, toProject } from './projects.ts';
import { fetchList, readPath } from './reads.ts';
import { type RedirectMethods, redirectMethods } from './redirects.ts';
import type { Result } from './result.ts';
import { orSecondFactor, type SignInMethods, signInMethods } from './sign-in.ts';
import type { TokenStoreInit } from './token-stores.ts';

/** What apps of all kinds have. */
export type AppMethods<ProjectId extends string> = SignInMethods &
  AuthMethods<TokenStoreOption> &
  RedirectMethods &
  NotOffered<'cancelSubscription' | 'getItem' | 'listInvoices'> & {
    readonly projectId: ProjectId;
    /** The version of this library. */
    readonly version: string;
    readonly urls: Urls;
    /** Leaves the page for the provider; never resolves. */
    signInWithOAuth(provider: string, options?: { returnTo?: string }): Promise<never>;
    /** Finishes a sign-in at the page `oauthCallback` and leaves it. False if there was nothing to finish. */
    callOAuthCallback(): Promise<boolean>;
    /** For command-line programs: the refresh token of a session that a browser approves. */
    promptCliLogin(options: CliLoginOptions): Promise<Result<string>>;
    getProject: Read<[], Project>;
    listProducts(options: CustomerOptions): Promise<never[]>;
    getPartialUser(options: GetPartialUserOptions): Promise<TokenPartialUser | null>;
    getConvexClientAuth(options?: TokenStoreOption): (args: { forceRefreshToken: boolean }) => Promise<string | null>;
    getConvexHttpClientAuth(options: { tokenStore: TokenStoreInit }): Promise<string>;
    readonly [gatebookInternals]: ClientAppInternals;
  };
export type CustomerOptions = { userId: string } | { teamId: string } | { customCustomerId: string };

/** The path of `{ userId }`, `{ teamId }` or `{ customCustomerId }`. */
export function productsPath(options: CustomerOptions): string {
  const [[name, id] = ['', '']] = Object.entries(options);
  return `/payments/products/${name.replace(/(Customer)?Id$/, '')}/${encodeURIComponent(id)}`;
}

export function appMethods<User>(parts: AppParts<User>): AppMethods<string> {
  const { server, redirects, connectionOf, contextOf, oauth } = parts;
  const context = contextOf(parts.publicConnection);
  const tokenOf = async (options?: TokenStoreOption) =>
    (await connectionOf(options).session.tokens())?.accessToken ?? null;
  return {
    ...signInMethods(parts),
    ...authMethods(connectionOf, redirects),
    ...redirectMethods(parts),
    ...notOffered('cancelSubscription', 'getItem', 'listInvoices'),
    projectId: server.projectId,
    version: clientVersion,
    urls: parts.urls,
    signOut: async (options) => {
      const tokens = await connectionOf(options).session.tokens();
      if (tokens === null || claimsOf(tokens.accessToken)?.is_anonymous === true) return;
      await authMethods(connectionOf, redirects).signOut(options);
    },
    signInWithOAuth: async (provider, options) => (await oauth(parts.own())).signInWithOAuth(provider, options),
    callOAuthCallback: async () => orSecondFactor(parts, (await oauth(parts.own())).callOAuthCallback()),
    promptCliLogin: async (options) => (await import('./browser-sign-in.ts')).promptCliLogin(parts, options),
    getProject: readPath(context, () => '/projects/current', toProject),
    listProducts: (options) => fetchList(parts.own().send, productsPath(options)),
    getPartialUser: (options) => readPartialUser(options, connectionOf),
    getConvexClientAuth:
      (options) =>
      async ({ forceRefreshToken }) => {
        const token = await tokenOf(options);
        if (!forceRefreshToken || token === null) return token;
        connectionOf(options).session.markExpired(token);
        return tokenOf(options);
      },
    getConvexHttpClientAuth: async (options) => (await tokenOf(options)) ?? '',
    [gatebookInternals]: internalsOf(parts),
  };
}
