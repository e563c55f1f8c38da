import type { OAuthProviders, ProviderAuthorization, ProviderTokens } from '@gatebook/commands/oauth/oauth-providers';
import { reject } from '@gatebook/domain/errors';
import type { Clock } from '@gatebook/runtime/clock';
import { createLruCache } from '@gatebook/runtime/lru-cache';
import {
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  type ClientAuth,
  ClientSecretPost,
  Configuration,
  type CustomFetch,
  calculatePKCECodeChallenge,
  clockSkew,
  clockTolerance,
  customFetch,
  discovery,
  enableNonRepudiationChecks,
  getJwksCache,
  refreshTokenGrant,
  type ServerMetadata,
  setJwksCache,
} from 'openid-client';
import { findKeysFault, readIssuerMetadata } from './issuer-metadata.ts';
import { readProfile } from './profile.ts';
import type { ProviderEntry } from './provider.ts';
import {
  createProviderClients,
  openIdScopes,
  type ProviderClient,
  type ProviderEntries,
  type SharedProviders,
} from './provider-client.ts';
import { providerEntries } from './providers/list.ts';
import { toRefreshRejection, toRejection } from './rejection.ts';
import { createGuardedNetwork, type ProviderRequest, sendRequest } from './request.ts';
import { computeExpiry, normalizeTokenResponse } from './token-response.ts';

const defaultTimeoutMs = 10_000;
/** Tolerated difference between the clocks of the provider and Gatebook when an ID token is checked. */
const toleranceSeconds = 30;

type Settings = SharedProviders & {
  /** Replaces built-in entries, for tests and development. */
  entries?: Partial<ProviderEntries>;
  /** Whether providers that owners add can be in private networks. */
  allowPrivate?: boolean;
  /** For a whole call, however many requests it takes. */
  timeoutMs?: number;
  now: Clock;
};

/** Implements the OAuth providers over HTTP. */
export function createOAuthProviders({
  entries = {},
  allowPrivate = false,
  timeoutMs = defaultTimeoutMs,
  now,
  ...shared
}: Settings): OAuthProviders {
  const allEntries: ProviderEntries = { ...providerEntries, ...entries };
  const guarded = createGuardedNetwork(allowPrivate);
  const { resolveClient, hasSharedKeys } = createProviderClients({ ...shared, entries: allEntries, guarded, now });
  /** JWK set caches for ID tokens, by URL. openid-client decides when they are too old. */
  const keyCaches = createLruCache<NonNullable<ReturnType<typeof getJwksCache>>>(maxKeyBytes);

  async function configure(client: ProviderClient, signal: AbortSignal) {
    const { entry, clientId, clientSecret, metadata, network } = client;
    const { issuer, authorizationEndpoint, tokenEndpoint, idTokenKeys } = entry;
    const server: ServerMetadata = {
      ...metadata,
      // openid-client requires an issuer; `checkIssuer` validates the responses of providers without one.
      issuer: issuer ?? new URL(authorizationEndpoint).origin,
      authorization_endpoint: authorizationEndpoint,
      token_endpoint: tokenEndpoint,
      ...(idTokenKeys === null ? {} : { jwks_uri: idTokenKeys }),
    };
    const skewSeconds = Math.round((Date.parse(now()) - Date.now()) / 1000);
    const clientOptions = { [clockSkew]: skewSeconds, [clockTolerance]: toleranceSeconds };
    const clientAuth =
      entry.clientAuthentication === 'basic' ? basicAuth(clientSecret) : ClientSecretPost(clientSecret);
    const config = issuer?.includes('{tenantid}')
      ? await configureForTenants(server, clientId, clientOptions, clientAuth)
      : new Configuration(server, clientId, clientOptions, clientAuth);
    config[customFetch] = async (url, options) => {
      const response = await sendRequest(network, url, toProviderRequest(options), signal);
      return url === tokenEndpoint
        ? normalizeTokenResponse(entry, response)
        : Response.json(response.body ?? null, response);
    };
    // `sendRequest` enforces the stricter rule: plain HTTP only to this machine.
    allowInsecureRequests(config);
    if (idTokenKeys !== null) {
      enableNonRepudiationChecks(config);
      const cache = keyCaches.get(idTokenKeys);
      if (cache) setJwksCache(config, cache);
    }
    return config;
  }

  function cacheKeys({ idTokenKeys }: ProviderEntry, config: Configuration): void {
    const cache = getJwksCache(config);
    if (idTokenKeys === null || cache === undefined) return;
    keyCaches.set(idTokenKeys, cache, JSON.stringify(cache).length);
  }

  async function exchangeCode(
    client: ProviderClient,
    authorization: ProviderAuthorization,
    response: URLSearchParams,
    signal: AbortSignal,
  ) {
    const { entry } = client;
    const config = await configure(client, signal);
    const callback = new URL(authorization.redirectUri);
    callback.search = checkIssuer(entry, response).toString();
    const tokens = await authorizationCodeGrant(config, callback, {
      expectedState: authorization.state,
      idTokenExpected: entry.idTokenKeys !== null,
      ...(entry.usesPkce ? { pkceCodeVerifier: authorization.verifier } : {}),
      ...(entry.usesNonce ? { expectedNonce: await deriveNonce(authorization) } : {}),
    });
    cacheKeys(entry, config);
    return { tokens, claims: tokens.claims() };
  }

  const toTokens = (response: TokenResponse, entry: ProviderEntry): ProviderTokens => ({
    accessToken: response.access_token,
    expiresAt: computeExpiry(response, entry, now()),
    refreshToken: response.refresh_token ?? null,
  });

  return {
    baseScopes: (keys) => (keys.type === 'openid' ? openIdScopes : allEntries[keys.id].baseScopes),
    hasSharedKeys,

    authorizationUrl: async (keys, authorization, extraScopes) => {
      const signal = AbortSignal.timeout(timeoutMs);
      const client = await resolveClient(keys, signal);
      const { entry, parameters } = client;
      const challenge: Record<string, string> = entry.usesPkce
        ? { code_challenge: await calculatePKCECodeChallenge(authorization.verifier), code_challenge_method: 'S256' }
        : {};
      return buildAuthorizationUrl(await configure(client, signal), {
        redirect_uri: normalizeRedirectUri(authorization),
        scope: [...new Set([...entry.baseScopes, ...extraScopes])].join(' '),
        state: authorization.state,
        access_type: 'offline',
        ...challenge,
        ...(entry.usesNonce ? { nonce: await deriveNonce(authorization) } : {}),
        ...parameters,
      });
    },

    identify: async (keys, authorization, response) => {
      const signal = AbortSignal.timeout(timeoutMs);
      try {
        const client = await resolveClient(keys, signal);
        const { entry } = client;
        const { tokens, claims } = await exchangeCode(client, authorization, response, signal);
        const profile = await readProfile(client.network, entry, tokens.access_token, claims, signal);
        return { profile, tokens: toTokens(tokens, entry) };
      } catch (error) {
        throw toRejection(error);
      }
    },

    refresh: async (keys, refreshToken, scope) => {
      const signal = AbortSignal.timeout(timeoutMs);
      try {
        const client = await resolveClient(keys, signal);
        // The account is already known, so ignore an ID token in the response.
        const entry = { ...client.entry, idTokenKeys: null };
        const config = await configure({ ...client, entry }, signal);
        const scopes: Record<string, string> = scope === null || client.ignoresScopes ? {} : { scope };
        const response = await refreshTokenGrant(config, refreshToken, scopes);
        const tokens = toTokens(response, entry);
        return tokens.refreshToken === refreshToken ? { ...tokens, refreshToken: null } : tokens;
      } catch (error) {
        throw toRefreshRejection(error);
      }
    },

    testIssuer: async (issuer) => {
      const signal = AbortSignal.timeout(timeoutMs);
      const found = await readIssuerMetadata(guarded, issuer, signal);
      return 'fault' in found ? found.fault : findKeysFault(guarded, found.metadata, signal);
    },
  };
}

type TokenResponse = Awaited<ReturnType<typeof authorizationCodeGrant>>;

/** Thousands of key sets: each Microsoft tenant has its own. */
const maxKeyBytes = 8 * 1024 * 1024;

/** A hash of the verifier, which nobody else knows, so that the nonce is not stored. */
const deriveNonce = ({ verifier }: ProviderAuthorization): Promise<string> =>
  calculatePKCECodeChallenge(`nonce:${verifier}`);

/** Normalizes the redirect URI, because the token endpoint receives it again and compares. */
const normalizeRedirectUri = ({ redirectUri }: ProviderAuthorization): string => new URL(redirectUri).href;

/** openid-client sends strings and forms. */
function toProviderRequest({ method, headers, body }: Parameters<CustomFetch>[1]): ProviderRequest {
  return { method: method === 'POST' ? method : 'GET', headers, ...(body ? { body: String(body) } : {}) };
}

/**
 * openid-client supports tenants only through discovery of Microsoft: response that discovery with the known metadata,
 * without a request. It then expects the issuer of the tenant that the (signed) ID token names.
 */
function configureForTenants(
  server: ServerMetadata,
  clientId: string,
  clientOptions: Record<symbol, number>,
  clientAuth: ClientAuth,
): Promise<Configuration> {
  const origin = new URL(server.issuer.replace('{tenantid}', 'common'));
  return discovery(origin, clientId, clientOptions, clientAuth, { [customFetch]: async () => Response.json(server) });
}

/**
 * HTTP Basic as in RFC 6749 §2.3.1, with the form encoding of URLs, which leaves `-`, `.` and `_` unchanged: some
 * providers do not decode, and these characters are in most IDs and secrets.
 */
const basicAuth =
  (clientSecret: string): ClientAuth =>
  (_server, { client_id: clientId }, _body, headers) => {
    const encode = (text: string) => new URLSearchParams([['', text]]).toString().slice(1);
    headers.set('authorization', `Basic ${btoa(`${encode(clientId)}:${encode(clientSecret)}`)}`);
  };

/**
 * Prepares the response of a provider for openid-client, which compares its `iss` with the issuer (RFC 9207). Checks
 * `iss` here when the provider has no issuer or only a pattern: a provider without an issuer must use the origin of its
 * authorization endpoint.
 * @throws DomainError OAUTH_PROVIDER_RESPONSE_INVALID
 */
function checkIssuer({ issuer, authorizationEndpoint }: ProviderEntry, response: URLSearchParams): URLSearchParams {
  if (issuer !== null && !issuer.includes('{tenantid}')) return response;
  const isExpected = (iss: string) =>
    issuer === null
      ? URL.canParse(iss) && new URL(iss).origin === new URL(authorizationEndpoint).origin
      : issuer.split('{tenantid}').join('') === iss.replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/, '');
  const issuers = response.getAll('iss');
  if (!issuers.every(isExpected)) return reject('OAUTH_PROVIDER_RESPONSE_INVALID');
  const rest = new URLSearchParams(response);
  rest.delete('iss');
  return rest;
}
