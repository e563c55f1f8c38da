import { z } from 'zod';
import { providerIds } from '../project/config.ts';

/** What a visit to a provider is for; `userId` is whose account grows by `link`. */
export const OAuthPurpose = z.discriminatedUnion('type', [
  z.object({ type: z.literal('authenticate') }),
  z.object({ type: z.literal('link'), userId: z.uuid() }),
]);
export type OAuthPurpose = z.infer<typeof OAuthPurpose>;

const challenge = { codeChallenge: z.string(), codeChallengeMethod: z.enum(['S256', 'plain']) };

/** Payload of the code `oauth_flow`: what a provider is asked, from the redirect there until it sends the browser back. */
export const OAuthFlow = z.object({
  purpose: OAuthPurpose,
  provider: z.enum(providerIds),
  extraScopes: z.array(z.string()),
  ...challenge,
});
export type OAuthFlow = z.infer<typeof OAuthFlow>;

/** Its sealed payload: addresses of the app, as the app gave them. `redirectUri` has no fragment. */
export const OAuthAddresses = z.object({
  redirectUri: z.string(),
  state: z.string(),
  errorRedirectUrl: z.string().nullable(),
  afterCallbackRedirectUrl: z.string().nullable(),
});
export type OAuthAddresses = z.infer<typeof OAuthAddresses>;

/** Payload of the code `oauth_code`, by which the app gets its tokens. `userRevision`: of the user's stream at the callback. */
export const OAuthGrant = z.object({
  userId: z.uuid(),
  userRevision: z.number().int(),
  isNewUser: z.boolean(),
  ...challenge,
});
export type OAuthGrant = z.infer<typeof OAuthGrant>;
/** Its sealed payload. */
export const OAuthGrantAddresses = OAuthAddresses.pick({ redirectUri: true, afterCallbackRedirectUrl: true });
