import type { OAuthProviders, ProviderAuthorization, ProviderTokens } from '@gatebook/commands/oauth/oauth-providers';
import { reject } from '@gatebook/domain/errors';
import type { Clock } from '@gatebook/runtime/clock';
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
import { ask, type Question } from './ask.ts';
import { type Connection, createConnections, type ProviderEntries, type SharedProviders } from './connection.ts';
import { readProfile } from './profile.ts';
import type { ProviderEntry } from './provider.ts';
import { providerEntries } from './providers/list.ts';
import { refreshRejectionOf, rejectionOf } from './rejection.ts';
import { expiryOf, tidyTokenAnswer } from './token-answer.ts';

const defaultTimeoutMs = 10_000;
/** By which a provider's clock and ours may differ when an ID token is checked. */
const toleranceSeconds = 30;

/**
 * Sign-in providers over HTTP. `entries` replaces some of the built-in ones, for tests and developers; `timeoutMs` is for a
 * whole call, however many requests it takes.
 */
export function createOAuthProviders({
  entries = {},
  timeoutMs = defaultTimeoutMs,
  now,
  ...shared
}: SharedProviders & { entries?: Partial<ProviderEntries>; timeoutMs?: number; now: Clock }): OAuthProviders {
  const allEntries: ProviderEntries = { ...providerEntries, ...entries };
  const { connect, hasSharedKeys } = createConnections({ ...shared, entries: allEntries, now });
  /** Of ID tokens, by where they come from; openid-client says when they are too old. */
  const keyCaches = new Map<string, NonNullable<ReturnType<typeof getJwksCache>>>();

  async function configure({ entry, clientId, clientSecret, metadata }: Connection, signal: AbortSignal) {
    const { issuer, authorizationEndpoint, tokenEndpoint, idTokenKeys } = entry;
    const server: ServerMetadata = {
      ...metadata,
      // openid-client wants a name; answers of a provider without one are judged by `judgedAnswer`.
      issuer: issuer ?? new URL(authorizationEndpoint).origin,
      authorization_endpoint: authorizationEndpoint,
      token_endpoint: tokenEndpoint,
      ...(idTokenKeys === null ? {} : { jwks_uri: idTokenKeys }),
    };
    const skewSeconds = Math.round((Date.parse(now()) - Date.now()) / 1000);
    const client = { [clockSkew]: skewSeconds, [clockTolerance]: toleranceSeconds };
    const proof = entry.clientAuthentication === 'basic' ? basic(clientSecret) : ClientSecretPost(clientSecret);
    const config = issuer?.includes('{tenantid}')
      ? await configureForTenants(server, clientId, client, proof)
      : new Configuration(server, clientId, client, proof);
    config[customFetch] = async (url, options) => {
      const answer = await ask(url, questionOf(options), signal);
      return url === tokenEndpoint ? tidyTokenAnswer(entry, answer) : Response.json(answer.body ?? null, answer);
    };
    // `ask` holds the stricter rule: plain HTTP to this machine only.
    allowInsecureRequests(config);
    if (idTokenKeys !== null) {
      enableNonRepudiationChecks(config);
      const cache = keyCaches.get(idTokenKeys);
      if (cache) setJwksCache(config, cache);
    }
    return config;
  }

  function rememberKeys({ idTokenKeys }: ProviderEntry, config: Configuration): void {
    const cache = getJwksCache(config);
    if (idTokenKeys === null || cache === undefined) return;
    // Microsoft's tenants have an address each; beyond these many it is cheaper to ask again.
    if (keyCaches.size >= mostKeyCaches) keyCaches.clear();
    keyCaches.set(idTokenKeys, cache);
  }

  async function grant(
    connection: Connection,
    authorization: ProviderAuthorization,
    answer: URLSearchParams,
    signal: AbortSignal,
  ) {
    const { entry } = connection;
    const config = await configure(connection, signal);
    const current = new URL(authorization.redirectUri);
    current.search = judgedAnswer(entry, answer).toString();
    const tokens = await authorizationCodeGrant(config, current, {
      expectedState: authorization.state,
      idTokenExpected: entry.idTokenKeys !== null,
      ...(entry.usesPkce ? { pkceCodeVerifier: authorization.verifier } : {}),
    });
    rememberKeys(entry, config);
    return { tokens, claims: tokens.claims() };
  }

  const tokensOf = (answer: TokenAnswer, entry: ProviderEntry): ProviderTokens => ({
    accessToken: answer.access_token,
    expiresAt: expiryOf(answer, entry, now()),
    refreshToken: answer.refresh_token ?? null,
  });

  return {
    baseScopes: (id) => allEntries[id].baseScopes,
    hasSharedKeys,

    authorizationUrl: async (keys, authorization, extraScopes) => {
      const signal = AbortSignal.timeout(timeoutMs);
      const connection = await connect(keys, signal);
      const { entry, parameters } = connection;
      const challenge: Record<string, string> = entry.usesPkce
        ? { code_challenge: await calculatePKCECodeChallenge(authorization.verifier), code_challenge_method: 'S256' }
        : {};
      return buildAuthorizationUrl(await configure(connection, signal), {
        redirect_uri: redirectUriOf(authorization),
        scope: [...new Set([...entry.baseScopes, ...extraScopes])].join(' '),
        state: authorization.state,
        access_type: 'offline',
        ...challenge,
        ...parameters,
      });
    },

    identify: async (keys, authorization, answer) => {
      const signal = AbortSignal.timeout(timeoutMs);
      try {
        const connection = await connect(keys, signal);
        const { entry } = connection;
        const { tokens, claims } = await grant(connection, authorization, answer, signal);
        const profile = await readProfile(entry, tokens.access_token, claims, signal);
        return { profile, tokens: tokensOf(tokens, entry) };
      } catch (error) {
        throw rejectionOf(error);
      }
    },

    refresh: async (keys, refreshToken, scope) => {
      const signal = AbortSignal.timeout(timeoutMs);
      try {
        const connection = await connect(keys, signal);
        // Who it is is known: an ID token that comes along says nothing new.
        const entry = { ...connection.entry, idTokenKeys: null };
        const config = await configure({ ...connection, entry }, signal);
        const answer = await refreshTokenGrant(config, refreshToken, scope === null ? {} : { scope });
        const tokens = tokensOf(answer, entry);
        return tokens.refreshToken === refreshToken ? { ...tokens, refreshToken: null } : tokens;
      } catch (error) {
        throw refreshRejectionOf(error);
      }
    },
  };
}

type TokenAnswer = Awaited<ReturnType<typeof authorizationCodeGrant>>;

const mostKeyCaches = 100;

/** The redirect URI in one spelling, since the token endpoint gets it a second time and compares. */
const redirectUriOf = ({ redirectUri }: ProviderAuthorization): string => new URL(redirectUri).href;

/** openid-client sends texts and forms. */
function questionOf({ method, headers, body }: Parameters<CustomFetch>[1]): Question {
  return { method, headers, ...(body ? { body: String(body) } : {}) };
}

/**
 * openid-client knows tenants by discovery at Microsoft alone: it is told there what we know already, without a request. The
 * issuer it expects then is the one of the tenant that the (signed) ID token names.
 */
function configureForTenants(
  server: ServerMetadata,
  clientId: string,
  client: Record<symbol, number>,
  proof: ClientAuth,
): Promise<Configuration> {
  const origin = new URL(server.issuer.replace('{tenantid}', 'common'));
  return discovery(origin, clientId, client, proof, { [customFetch]: async () => Response.json(server) });
}

/**
 * HTTP Basic as RFC 6749 §2.3.1 has it, in the form encoding of the web, which leaves `-`, `.` and `_` alone: there are
 * providers that do not decode, and these are in most ids and secrets.
 */
const basic =
  (clientSecret: string): ClientAuth =>
  (_server, { client_id: clientId }, _body, headers) => {
    const form = (text: string) => new URLSearchParams([['', text]]).toString().slice(1);
    headers.set('authorization', `Basic ${btoa(`${form(clientId)}:${form(clientSecret)}`)}`);
  };

/**
 * What the provider sent back, ready for openid-client, which compares its `iss` with the issuer (RFC 9207). Where that is
 * none or a pattern, it is done here: a provider without a name of its own names itself by an address of its own.
 * @throws DomainError OAUTH_PROVIDER_ANSWER_INVALID
 */
function judgedAnswer({ issuer, authorizationEndpoint }: ProviderEntry, answer: URLSearchParams): URLSearchParams {
  if (issuer !== null && !issuer.includes('{tenantid}')) return answer;
  const isOwn = (iss: string) =>
    issuer === null
      ? URL.canParse(iss) && new URL(iss).origin === new URL(authorizationEndpoint).origin
      : issuer.split('{tenantid}').join('') === iss.replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/, '');
  const named = answer.getAll('iss');
  if (!named.every(isOwn)) return reject('OAUTH_PROVIDER_ANSWER_INVALID');
  const rest = new URLSearchParams(answer);
  rest.delete('iss');
  return rest;
}
