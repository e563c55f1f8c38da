import type { providerIds } from '@gatebook/domain/project/config';

/** Providers that the protocol defines. */
export type ProviderId = (typeof providerIds)[number];

/** Keys of a project at a provider: its own or the shared keys of the server. */
export type ProviderKeys =
  | { id: ProviderId; type: 'shared' }
  | { id: string; type: 'openid'; issuer: string; clientId: string; clientSecret: string }
  | {
      id: ProviderId;
      type: 'standard';
      clientId: string;
      clientSecret: string;
      facebookConfigId?: string | undefined;
      microsoftTenantId?: string | undefined;
    };

/**
 * One authorization at a provider. `state` and `verifier` are 43 characters of base64url each (protocol, auth §8.1).
 */
export type ProviderAuthorization = { redirectUri: string; state: string; verifier: string };

/** Tokens that a provider issued for a user; times are ISO. */
export type ProviderTokens = { accessToken: string; expiresAt: string; refreshToken: string | null };

/** `email` is null if the provider returned none or an invalid one. */
export type ProviderProfile = {
  accountId: string;
  displayName: string | null;
  profileImageUrl: string | null;
  email: string | null;
  isEmailVerified: boolean;
};

/** Port to the OAuth providers. Every call may take as long as the provider does, at most 10 s. */
export type OAuthProviders = {
  /** Scopes requested at every sign-in, in order. */
  baseScopes(keys: ProviderKeys): readonly string[];
  /** Whether this server has shared keys for the provider. */
  hasSharedKeys(id: ProviderId): boolean;
  /**
   * URL to send the browser to. `extraScopes` follow the base scopes, without duplicates.
   * @throws DomainError OAUTH_PROVIDER_NOT_FOUND_OR_NOT_ENABLED for shared keys that this server lacks,
   * OAUTH_PROVIDER_KEYS_REJECTED for malformed keys (or a malformed Microsoft tenant), OAUTH_PROVIDER_UNREACHABLE
   */
  authorizationUrl(
    keys: ProviderKeys,
    authorization: ProviderAuthorization,
    extraScopes: readonly string[],
  ): Promise<URL>;
  /**
   * Validates the response of the provider, exchanges its code and reads the profile.
   * @throws DomainError OAUTH_PROVIDER_ACCESS_DENIED, OAUTH_PROVIDER_CODE_REJECTED, OAUTH_PROVIDER_KEYS_REJECTED,
   * OAUTH_PROVIDER_SCOPE_REJECTED, OAUTH_PROVIDER_RESPONSE_INVALID, OAUTH_PROVIDER_UNREACHABLE,
   * OAUTH_PROVIDER_EMAIL_MISSING (facebook)
   */
  identify(
    keys: ProviderKeys,
    authorization: ProviderAuthorization,
    response: URLSearchParams,
  ): Promise<{ profile: ProviderProfile; tokens: ProviderTokens }>;
  /**
   * Refreshes an access token. Sends `scope` unchanged, or none when null. The returned `refreshToken` is null when the
   * old one stays valid.
   * @throws DomainError PROVIDER_REJECTED, OAUTH_PROVIDER_UNREACHABLE
   */
  refresh(keys: ProviderKeys, refreshToken: string, scope: string | null): Promise<ProviderTokens>;
  /**
   * Reads the metadata and the keys of an OpenID provider as a sign-in would, past the cache. Null if they can be used;
   * otherwise why not.
   */
  testIssuer(issuer: string): Promise<IssuerFault | null>;
};

/** Why an OpenID provider can't be used. `detail`: the fields or values that are wrong. */
export type IssuerFault = {
  reason:
    | 'not_allowed'
    | 'unreachable'
    | 'timeout'
    | 'too_large'
    | 'redirect'
    | 'status'
    | 'not_metadata'
    | 'issuer_mismatch'
    | 'endpoint_not_allowed'
    | 'keys_unusable';
  detail: string | null;
};
