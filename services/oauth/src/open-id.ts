import { z } from 'zod';
import { IssuerMetadata } from './issuer-metadata.ts';
import { optionalText, type ProviderEntry, parseProfile, profileRequest, trueFlag } from './provider.ts';

const User = z.object({
  sub: z.string(),
  name: optionalText,
  picture: optionalText,
  email: optionalText,
  email_verified: trueFlag,
});
/** The claims of the ID token and, where it was requested, the user information. */
const Responses = z.union([z.tuple([User]), z.tuple([User, User])]);
const Complete = z.object({ name: z.string(), email: z.string(), email_verified: z.union([z.boolean(), z.string()]) });

/**
 * Builds the entry of an OpenID provider that acts as `id`; null when its metadata is insufficient. The shared issuer
 * (`isSimulator`) belongs to the deployer, so its email counts as verified, and a subject that is an email address is
 * used as one.
 */
export function createOpenIdEntry(id: string, metadata: unknown, isSimulator: boolean): ProviderEntry | null {
  const parsed = IssuerMetadata.safeParse(metadata);
  if (!parsed.success) return null;
  const { data } = parsed;
  return {
    id,
    issuer: data.issuer,
    authorizationEndpoint: data.authorization_endpoint,
    tokenEndpoint: data.token_endpoint,
    idTokenKeys: data.jwks_uri,
    isSubjectAccountId: true,
    baseScopes: ['openid', ...['email', 'profile'].filter((scope) => data.scopes_supported.includes(scope))],
    usesPkce: true,
    clientAuthentication: data.token_endpoint_auth_methods_supported.includes('client_secret_basic') ? 'basic' : 'body',
    profile: {
      url: data.userinfo_endpoint ?? null,
      startsWithIdToken: true,
      isComplete: (claims) => Complete.safeParse(claims).success,
      requests: data.userinfo_endpoint === undefined ? [] : [profileRequest],
      read: parseProfile(Responses, ([claims, info = claims]) => {
        // The flag belongs to the address beside it.
        const { email, email_verified } = info.email ? info : claims;
        return {
          accountId: info.sub,
          displayName: info.name ?? claims.name,
          profileImageUrl: info.picture ?? claims.picture,
          email: email ?? (isSimulator ? claims.sub : null),
          isEmailVerified: isSimulator || email_verified,
        };
      }),
    },
  };
}
