import type { ProviderId } from '@gatebook/commands/oauth/oauth-providers';
import { isSafeUrl } from '@gatebook/runtime/loopback';
import type { ServerMetadata } from 'openid-client';
import { z } from 'zod';
import { accountId, optionalText, type ProviderEntry, parseProfile, profileRequest, trueFlag } from './provider.ts';

const User = z.object({
  sub: accountId,
  name: optionalText,
  picture: optionalText,
  email: optionalText,
  email_verified: trueFlag,
});

const endpoint = z.string().refine(isSafeUrl);
/** Required metadata of a discovered OpenID provider (OpenID Connect Discovery §3). */
const Metadata = z.object({
  authorization_endpoint: endpoint,
  token_endpoint: endpoint,
  userinfo_endpoint: endpoint,
  jwks_uri: endpoint,
  scopes_supported: z.array(z.string()).default([]),
  token_endpoint_auth_methods_supported: z.array(z.string()).default(['client_secret_basic']),
});

/**
 * Builds the entry of an OpenID provider that acts as `id`; null when its metadata is insufficient. The shared issuer
 * (`isSimulator`) belongs to the deployer, so its email counts as verified, and a subject that is an email address is
 * used as one.
 */
export function createOpenIdEntry(id: ProviderId, server: ServerMetadata, isSimulator: boolean): ProviderEntry | null {
  const parsed = Metadata.safeParse(server);
  if (!parsed.success) return null;
  const { data } = parsed;
  return {
    id,
    issuer: server.issuer,
    authorizationEndpoint: data.authorization_endpoint,
    tokenEndpoint: data.token_endpoint,
    idTokenKeys: data.jwks_uri,
    isSubjectAccountId: true,
    baseScopes: ['openid', ...['email', 'profile'].filter((scope) => data.scopes_supported.includes(scope))],
    usesPkce: true,
    clientAuthentication: data.token_endpoint_auth_methods_supported.includes('client_secret_basic') ? 'basic' : 'body',
    profile: {
      url: data.userinfo_endpoint,
      requests: [profileRequest],
      read: parseProfile(z.tuple([User]), ([user]) => ({
        accountId: user.sub,
        displayName: user.name,
        profileImageUrl: user.picture,
        email: user.email ?? (isSimulator ? String(user.sub) : null),
        isEmailVerified: isSimulator || user.email_verified,
      })),
    },
  };
}
