import { z } from 'zod';

/**
 * The purpose of an authorization request. `link` adds the account to `userId` on behalf of one session; `userRevision`
 * is the revision of the user's stream when that session requested the link.
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
 * Payload of the code `oauth_authorization_request`, which lasts from the redirect to the provider until the browser
 * comes back, and of the code `oauth_request`, which a client pushes before it sends the browser anywhere.
 */
export const AuthorizationRequest = z.object({
  purpose: OAuthPurpose,
  provider: z.string(),
  extraScopes: z.array(z.string()),
  ...challenge,
});
export type AuthorizationRequest = z.infer<typeof AuthorizationRequest>;

/** Encrypted payload of both codes: URLs of the app, as the app sent them. `redirectUri` has no fragment. */
export const OAuthUrls = z.object({
  redirectUri: z.string(),
  state: z.string(),
  errorRedirectUrl: z.string().nullable(),
  afterCallbackRedirectUrl: z.string().nullable(),
});
export type OAuthUrls = z.infer<typeof OAuthUrls>;

/**
 * Payload of the code `oauth_code`, which the app exchanges for its tokens. `user` is the user of the provider account
 * at the time of the callback, with the revision of their stream; null when the account belonged to nobody.
 */
export const OAuthCodePayload = z.object({
  purpose: OAuthPurpose,
  provider: z.string(),
  user: z.object({ userId: z.uuid(), userRevision: z.number().int() }).nullable(),
  ...challenge,
});
export type OAuthCodePayload = z.infer<typeof OAuthCodePayload>;

/**
 * Encrypted payload of `oauth_code`: the account that the provider identified. Nothing else is written before the code
 * is redeemed.
 */
export const OAuthIdentity = OAuthUrls.pick({ redirectUri: true, afterCallbackRedirectUrl: true }).extend({
  profile: z.object({
    accountId: z.string(),
    displayName: z.string().nullable(),
    profileImageUrl: z.string().nullable(),
    email: z.string().nullable(),
    isEmailVerified: z.boolean(),
  }),
  /** null with shared keys: the tokens of shared keys are given to nobody, so they are not stored. */
  providerGrant: z
    .object({
      tokens: z.object({ accessToken: z.string(), expiresAt: z.string(), refreshToken: z.string().nullable() }),
      scopes: z.array(z.string()),
    })
    .nullable(),
});
export type OAuthIdentity = z.infer<typeof OAuthIdentity>;

/** Payload of the code `cross_domain_code`, which continues a session on another domain. PKCE S256. */
export const CrossDomainCode = z.object({ sessionId: z.uuid(), codeChallenge: z.string() });
export type CrossDomainCode = z.infer<typeof CrossDomainCode>;

/** Encrypted payload of `cross_domain_code`. `refreshToken` is encrypted once more, with the code itself. */
export const CrossDomainPayload = OAuthUrls.pick({ redirectUri: true, afterCallbackRedirectUrl: true }).extend({
  refreshToken: z.string(),
});
export type CrossDomainPayload = z.infer<typeof CrossDomainPayload>;
