import { type DomainErrorCode, reject } from '@gatebook/domain/errors';
import type { OAuthProviders, ProviderProfile, ProviderTokens } from '../oauth/oauth-providers.ts';

/** What the provider's `code` stands for here: a profile and tokens, or a fault. */
export type ProviderAnswer = Partial<ProviderProfile> & { fault?: DomainErrorCode; refreshToken?: string | null };

/** As a browser brings it back from a provider that knows the person. */
export function providerAnswer(answer: ProviderAnswer): string {
  return Buffer.from(JSON.stringify(answer)).toString('base64url');
}

/**
 * Believes what the code says of itself. Tokens are numbered, live an hour from `now`, and are renewed by any refresh
 * token but `rejected`.
 */
export function createPlainProviders(now: () => string) {
  let count = 0;
  const tokens = (refreshToken: string | null): ProviderTokens => {
    count += 1;
    const expiresAt = new Date(Date.parse(now()) + 3_600_000).toISOString();
    return { accessToken: `access-${count}`, expiresAt, refreshToken };
  };
  const authorizations: { verifier: string; state: string; redirectUri: string }[] = [];
  const renewals: { refreshToken: string; scope: string | null }[] = [];
  const providers: OAuthProviders = {
    baseScopes: ({ id }) => (id === 'github' ? ['user:email'] : ['openid', 'email']),
    hasSharedKeys: (id) => ['google', 'github', 'microsoft', 'spotify'].includes(id),
    authorizationUrl: async (keys, authorization, extraScopes) => {
      authorizations.push(authorization);
      const url = new URL(`https://${keys.id}.example/authorize`);
      url.searchParams.set('client_id', keys.type === 'shared' ? 'shared' : keys.clientId);
      url.searchParams.set('redirect_uri', authorization.redirectUri);
      url.searchParams.set('state', authorization.state);
      url.searchParams.set('scope', [...providers.baseScopes(keys), ...extraScopes].join(' '));
      return url;
    },
    identify: async (_keys, authorization, answer) => {
      if (answer.get('state') !== authorization.state) return reject('OAUTH_PROVIDER_RESPONSE_INVALID');
      if (answer.get('error') === 'access_denied') return reject('OAUTH_PROVIDER_ACCESS_DENIED');
      authorizations.push(authorization);
      const text = Buffer.from(answer.get('code') ?? '', 'base64url').toString();
      const { fault, refreshToken = 'refresh-1', ...profile }: ProviderAnswer = JSON.parse(text);
      if (fault) return reject(fault);
      const known = { accountId: 'a1', displayName: null, profileImageUrl: null, email: null, isEmailVerified: false };
      return { profile: { ...known, ...profile }, tokens: tokens(refreshToken) };
    },
    refresh: async (_keys, refreshToken, scope) => {
      renewals.push({ refreshToken, scope });
      return refreshToken === 'rejected' ? reject('PROVIDER_REJECTED') : tokens(null);
    },
    testIssuer: async () => null,
  };
  return { providers, authorizations, renewals };
}
