import type { ProviderId } from '@gatebook/commands/oauth/oauth-providers';
import { isSafeUrl } from '@gatebook/runtime/loopback';
import type { ServerMetadata } from 'openid-client';
import { z } from 'zod';
import { accountId, type ProviderEntry, profileRequest, readAs, told, toldTrue } from './provider.ts';

const User = z.object({ sub: accountId, name: told, picture: told, email: told, email_verified: toldTrue });

const endpoint = z.string().refine(isSafeUrl);
/** What an OpenID provider that was found by discovery has to tell of itself (OpenID Connect Discovery §3). */
const Metadata = z.object({
  authorization_endpoint: endpoint,
  token_endpoint: endpoint,
  userinfo_endpoint: endpoint,
  jwks_uri: endpoint,
  scopes_supported: z.array(z.string()).default([]),
  token_endpoint_auth_methods_supported: z.array(z.string()).default(['client_secret_basic']),
});

/**
 * An OpenID provider that does the work of `id`; null when it lacks what that takes. One that stands in for all (`isSimulator`)
 * is the deployer's own: its word on an e-mail counts, and a subject that is an address is one.
 */
export function openIdEntry(id: ProviderId, server: ServerMetadata, isSimulator: boolean): ProviderEntry | null {
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
      read: readAs(z.tuple([User]), ([user]) => ({
        accountId: user.sub,
        displayName: user.name,
        profileImageUrl: user.picture,
        email: user.email ?? (isSimulator ? String(user.sub) : null),
        isEmailVerified: isSimulator || user.email_verified,
      })),
    },
  };
}
