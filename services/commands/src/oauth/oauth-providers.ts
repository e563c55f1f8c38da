import type { providerIds } from '@gatebook/domain/project/config';

export type ProviderId = (typeof providerIds)[number];

/** How a project speaks with a provider: by keys of its own, or by the server's. */
export type ProviderKeys =
  | { id: ProviderId; type: 'shared' }
  | {
      id: ProviderId;
      type: 'standard';
      clientId: string;
      clientSecret: string;
      facebookConfigId?: string | undefined;
      microsoftTenantId?: string | undefined;
    };

/** One sign-in at a provider. `state` and `verifier` are 43 characters of base64url each (protocol, auth §8.1). */
export type ProviderAuthorization = { redirectUri: string; state: string; verifier: string };

/** What a provider gave us to act for the person; times are ISO. */
export type ProviderTokens = { accessToken: string; expiresAt: string; refreshToken: string | null };

/** `email` is null where the provider tells none, or what it tells is no address. */
export type ProviderProfile = {
  accountId: string;
  displayName: string | null;
  profileImageUrl: string | null;
  email: string | null;
  isEmailVerified: boolean;
};

/** What commands ask of sign-in providers. Every call may take as long as the provider does, 10 s at most. */
export type OAuthProviders = {
  /** Scopes asked for at every sign-in, in order. */
  baseScopes(id: ProviderId): readonly string[];
  /** Whether this server has shared keys for the provider. */
  hasSharedKeys(id: ProviderId): boolean;
  /**
   * Where to send the browser. `extraScopes` follow the base scopes, without duplicates.
   * @throws DomainError OAUTH_PROVIDER_NOT_FOUND_OR_NOT_ENABLED for shared keys that this server lacks,
   * OAUTH_PROVIDER_KEYS_REJECTED for keys (or a Microsoft tenant) that can't be any, OAUTH_PROVIDER_UNREACHABLE
   */
  authorizationUrl(
    keys: ProviderKeys,
    authorization: ProviderAuthorization,
    extraScopes: readonly string[],
  ): Promise<URL>;
  /**
   * Judges what the provider sent back, exchanges its code and reads the profile.
   * @throws DomainError OAUTH_PROVIDER_ACCESS_DENIED, OAUTH_PROVIDER_CODE_REJECTED, OAUTH_PROVIDER_KEYS_REJECTED, OAUTH_PROVIDER_SCOPE_REJECTED,
   * OAUTH_PROVIDER_ANSWER_INVALID, OAUTH_PROVIDER_UNREACHABLE, OAUTH_PROVIDER_GAVE_NO_EMAIL (facebook)
   */
  identify(
    keys: ProviderKeys,
    authorization: ProviderAuthorization,
    answer: URLSearchParams,
  ): Promise<{ profile: ProviderProfile; tokens: ProviderTokens }>;
  /**
   * A new access token for a refresh token. `scope` is asked for as it is; left out when null. `refreshToken` of the answer is
   * null when the old one stays.
   * @throws DomainError PROVIDER_REJECTED, OAUTH_PROVIDER_UNREACHABLE
   */
  refresh(keys: ProviderKeys, refreshToken: string, scope: string | null): Promise<ProviderTokens>;
};
