import { isKnownError } from '../errors.ts';
import type { Redirects } from '../redirects.ts';
import { claimsOf } from '../session.ts';
import type { Connection } from './connection.ts';
import type { TokenStoreInit } from './token-stores.ts';

/** Tokens of one session, also those that are passed to other servers. */
export type AuthMethods<Options = object> = {
  /** Ends the session and leaves the page for `redirectUrl`, or for `afterSignOut`. */
  signOut(options?: Options & { redirectUrl?: string | URL }): Promise<void>;
  /** Valid for 20 seconds at least; null if signed out. */
  getAccessToken(options?: Options): Promise<string | null>;
  getRefreshToken(options?: Options): Promise<string | null>;
  /** For the header `Authorization` of requests to other servers, which pass the request as `tokenStore`. */
  getAuthorizationHeader(options?: Options): Promise<string | null>;
  /** Deprecated: see `getAuthorizationHeader`. */
  getAuthHeaders(options?: Options): Promise<{ 'x-stack-auth': string }>;
  /** For other protocols than HTTP; the other server passes it as `tokenStore`. */
  getAuthJson(options?: Options): Promise<AuthJson>;
};
export type AuthJson = { accessToken: string | null; refreshToken: string | null };
export type TokenStoreOption = { tokenStore?: TokenStoreInit };

export function authMethods<Options = object>(
  connectionOf: (options?: Options) => Connection,
  redirects: Redirects,
): AuthMethods<Options> {
  const getAuthJson = async (options?: Options): Promise<AuthJson> =>
    (await connectionOf(options).session.tokens()) ?? { accessToken: null, refreshToken: null };
  return {
    signOut: async (options) => {
      const { session, send } = connectionOf(options);
      try {
        if (session.isSignedIn()) await send('DELETE', '/auth/sessions/current', {});
      } catch (error) {
        if (!isKnownError(error, 'REFRESH_TOKEN_ERROR', 'INVALID_ACCESS_TOKEN')) throw error;
      }
      session.invalidate();
      const url = options?.redirectUrl;
      await (url === undefined ? redirects.to('afterSignOut') : redirects.toUrl(String(url), { replace: true }));
    },
    getAuthJson,
    getAccessToken: async (options) => (await getAuthJson(options)).accessToken,
    getRefreshToken: async (options) => (await getAuthJson(options)).refreshToken,
    getAuthorizationHeader: async (options) => {
      const tokens = await getAuthJson(options);
      return tokens.refreshToken === null ? null : `Bearer stackauth_${btoa(JSON.stringify(tokens))}`;
    },
    getAuthHeaders: async (options) => ({ 'x-stack-auth': JSON.stringify(await getAuthJson(options)) }),
  };
}

/** What an access token says about its user. */
export type TokenPartialUser = {
  id: string;
  displayName: string | null;
  primaryEmail: string | null;
  primaryEmailVerified: boolean;
  isAnonymous: boolean;
  isMultiFactorRequired: boolean;
  isRestricted: boolean;
  restrictedReason: { type: string } | null;
};
type Claims = Readonly<Record<string, unknown>>;
/** In Convex functions, the identity comes from the context. */
export type GetPartialUserOptions = TokenStoreOption & { or?: 'return-null' | 'anonymous-if-exists' } & (
    | { from: 'token' }
    | { from: 'convex'; ctx: { auth: { getUserIdentity(): Promise<Claims | null> } } }
  );

export async function readPartialUser(
  options: GetPartialUserOptions,
  connectionOf: (options?: TokenStoreOption) => Connection,
): Promise<TokenPartialUser | null> {
  const claims =
    options.from === 'convex'
      ? await options.ctx.auth.getUserIdentity()
      : claimsOf((await connectionOf(options).session.tokens())?.accessToken ?? '');
  if (claims === null || (claims.is_anonymous && options.or !== 'anonymous-if-exists')) return null;
  return {
    id: (claims.subject ?? claims.sub) as string,
    displayName: (claims.name as string | undefined) ?? null,
    primaryEmail: (claims.email as string | undefined) ?? null,
    primaryEmailVerified: claims.email_verified === true,
    isAnonymous: claims.is_anonymous === true,
    isMultiFactorRequired: claims.requires_totp_mfa === true,
    isRestricted: claims.is_restricted === true,
    restrictedReason: (claims.restricted_reason as { type: string } | undefined) ?? null,
  };
}
