import { z } from 'zod';
import { providerIds } from '../project/config.ts';

/**
 * What a visit to a provider is for. `link` adds the account to `userId`, on behalf of one session: `userRevision` is the revision of
 * the user's stream when that session asked for it.
 */
export const OAuthPurpose = z.discriminatedUnion('type', [
  z.object({ type: z.literal('authenticate') }),
  z.object({
    type: z.literal('link'),
    userId: z.uuid(),
    sessionId: z.uuid(),
    userRevision: z.number().int(),
  }),
]);
export type OAuthPurpose = z.infer<typeof OAuthPurpose>;

const challenge = { codeChallenge: z.string(), codeChallengeMethod: z.enum(['S256', 'plain']) };

/**
 * Payload of the code `oauth_authorization_request`: what a provider is asked, from the redirect there until it sends the browser back. Also of the
 * code `oauth_request`, which a client pushes before the browser goes anywhere.
 */
export const AuthorizationRequest = z.object({
  purpose: OAuthPurpose,
  provider: z.enum(providerIds),
  extraScopes: z.array(z.string()),
  ...challenge,
});
export type AuthorizationRequest = z.infer<typeof AuthorizationRequest>;

/** Its encrypted payload: addresses of the app, as the app gave them. `redirectUri` has no fragment. */
export const OAuthAddresses = z.object({
  redirectUri: z.string(),
  state: z.string(),
  errorRedirectUrl: z.string().nullable(),
  afterCallbackRedirectUrl: z.string().nullable(),
});
export type OAuthAddresses = z.infer<typeof OAuthAddresses>;

/**
 * Payload of the code `oauth_code`, by which the app gets its tokens. `user` is who the account led to at the callback, with the
 * revision of their stream; null when the account was nobody's.
 */
export const OAuthGrant = z.object({
  purpose: OAuthPurpose,
  provider: z.enum(providerIds),
  user: z.object({ userId: z.uuid(), userRevision: z.number().int() }).nullable(),
  ...challenge,
});
export type OAuthGrant = z.infer<typeof OAuthGrant>;

/** Its encrypted payload: the account that the provider identified. Nothing else is written before the code is redeemed. */
export const OAuthIdentity = OAuthAddresses.pick({ redirectUri: true, afterCallbackRedirectUrl: true }).extend({
  profile: z.object({
    accountId: z.string(),
    displayName: z.string().nullable(),
    profileImageUrl: z.string().nullable(),
    email: z.string().nullable(),
    isEmailVerified: z.boolean(),
  }),
  /** null with shared keys: these give nobody a provider's tokens, so none are kept. */
  kept: z
    .object({
      tokens: z.object({ accessToken: z.string(), expiresAt: z.string(), refreshToken: z.string().nullable() }),
      scopes: z.array(z.string()),
    })
    .nullable(),
});
export type OAuthIdentity = z.infer<typeof OAuthIdentity>;
