import type { ProviderId, ProviderKeys } from '@gatebook/commands/oauth/oauth-providers';
import { reject } from '@gatebook/domain/errors';
import { sharedProviderIds } from '@gatebook/domain/project/config';
import type { Clock } from '@gatebook/runtime/clock';
import type { SharedIssuer, SharedKeys } from '@gatebook/runtime/oauth-config';
import { allowInsecureRequests, customFetch, discovery, type ServerMetadata } from 'openid-client';
import { createOpenIdEntry } from './open-id.ts';
import type { KeySettings, ProviderEntry } from './provider.ts';
import { type ProviderRequest, sendRequest } from './request.ts';

export type ProviderEntries = Readonly<Record<ProviderId, ProviderEntry>>;

export type SharedProviders = {
  sharedKeys: Readonly<Partial<Record<ProviderId, SharedKeys>>>;
  /**
   * One OpenID provider used in place of every shared provider without keys; client ID = provider ID. A project that
   * enters `ownKeys` as its own keys gets this provider too. Only the simulator has them, because anyone knows them.
   */
  sharedIssuer: SharedIssuer | null;
};

/** The resolved endpoints and credentials of a provider. */
export type ProviderClient = {
  /** Endpoints with the tenant filled in. */
  entry: ProviderEntry;
  clientId: string;
  clientSecret: string;
  /** Additional parameters of the authorization request. */
  parameters: Readonly<Record<string, string>>;
  /** Metadata from discovery, which openid-client validates responses with. */
  metadata: Partial<ServerMetadata>;
  /** The simulator knows no scopes of providers, so a refresh names none. */
  ignoresScopes: boolean;
};

const discoveryLifeMs = 10 * 60 * 1000;
/** Tenants are GUIDs, domains or words like `common`. Reject anything that could change the host of a URL. */
const tenantForm = /^(?!.*\.\.)[a-z0-9][a-z0-9.-]{0,253}$/i;

/** Resolves keys to provider clients. */
export function createProviderClients({
  entries,
  sharedKeys,
  sharedIssuer,
  now,
}: SharedProviders & { entries: ProviderEntries; now: Clock }) {
  const servers = new Map<string, { untilMs: number; server: Promise<ServerMetadata> }>();

  /** Discovered at most once in ten minutes, shared by concurrent callers. */
  function findServer(issuer: string, signal: AbortSignal): Promise<ServerMetadata> {
    const nowMs = Date.parse(now());
    const known = servers.get(issuer);
    if (known && known.untilMs > nowMs) return known.server;
    for (const [other, { untilMs }] of servers) if (untilMs <= nowMs) servers.delete(other);
    const entry = { untilMs: nowMs + discoveryLifeMs, server: discover(issuer, signal) };
    servers.set(issuer, entry);
    entry.server.catch(() => {
      if (servers.get(issuer) === entry) servers.delete(issuer);
    });
    return entry.server;
  }

  const usesSharedIssuer = (id: ProviderId) =>
    sharedIssuer !== null && sharedProviderIds.some((shared) => shared === id);

  const areSimulatorKeys = (keys: Extract<ProviderKeys, { type: 'standard' }>): boolean => {
    const own = sharedIssuer?.ownKeys;
    return own !== undefined && keys.clientId === own.clientId && keys.clientSecret === own.clientSecret;
  };

  return {
    hasSharedKeys: (id: ProviderId): boolean => sharedKeys[id] !== undefined || usesSharedIssuer(id),

    /**
     * @throws DomainError OAUTH_PROVIDER_NOT_FOUND_OR_NOT_ENABLED for missing shared keys, OAUTH_PROVIDER_KEYS_REJECTED
     * for malformed keys, OAUTH_PROVIDER_UNREACHABLE when discovery fails
     */
    resolveClient: async (keys: ProviderKeys, signal: AbortSignal): Promise<ProviderClient> => {
      const { id } = keys;
      const isSimulated = keys.type === 'standard' && usesSharedIssuer(id) && areSimulatorKeys(keys);
      if (keys.type === 'standard' && !isSimulated) return buildClient(entries[id], keys, keys);
      const shared = isSimulated ? undefined : sharedKeys[id];
      if (shared === undefined && (sharedIssuer === null || !usesSharedIssuer(id)))
        return reject('OAUTH_PROVIDER_NOT_FOUND_OR_NOT_ENABLED');
      if (shared && !shared.issuer) return buildClient(withEndpoints(entries[id], shared), shared, {});
      const issuer = shared?.issuer ?? sharedIssuer?.url ?? '';
      const client = shared ?? { clientId: id, clientSecret: sharedIssuer?.secret ?? '' };
      const metadata = await findServer(issuer, signal);
      const entry = createOpenIdEntry(id, metadata, shared === undefined);
      const ignoresScopes = shared === undefined && sharedIssuer?.ownKeys !== undefined;
      return { ...buildClient(entry ?? reject('OAUTH_PROVIDER_UNREACHABLE'), client, {}), metadata, ignoresScopes };
    },
  };
}

function buildClient(
  entry: ProviderEntry,
  { clientId, clientSecret }: { clientId: string; clientSecret: string },
  settings: KeySettings,
): ProviderClient {
  if (!clientId || !clientSecret) return reject('OAUTH_PROVIDER_KEYS_REJECTED');
  const tenant = entry.tenant?.(settings) ?? '';
  if (entry.tenant && !tenantForm.test(tenant)) return reject('OAUTH_PROVIDER_KEYS_REJECTED');
  const fillTenant = (endpoint: string) => endpoint.replaceAll('{tenant}', tenant);
  return {
    entry: {
      ...entry,
      authorizationEndpoint: fillTenant(entry.authorizationEndpoint),
      tokenEndpoint: fillTenant(entry.tokenEndpoint),
      idTokenKeys: entry.idTokenKeys === null ? null : fillTenant(entry.idTokenKeys),
    },
    clientId,
    clientSecret,
    parameters: entry.parameters?.(settings) ?? {},
    metadata: {},
    ignoresScopes: false,
  };
}

/**
 * A provider at other endpoints, such as GitHub Enterprise, with the same API. Its issuer and keys are unknown, so its
 * ID token is ignored: the profile comes directly from the provider over TLS.
 */
function withEndpoints(entry: ProviderEntry, shared: SharedKeys): ProviderEntry {
  const { authorizationEndpoint, tokenEndpoint, userinfoEndpoint } = shared;
  if (!authorizationEndpoint || !tokenEndpoint || !userinfoEndpoint) return entry;
  return {
    ...entry,
    authorizationEndpoint,
    tokenEndpoint,
    issuer: null,
    idTokenKeys: null,
    isSubjectAccountId: false,
    profile: { ...entry.profile, url: userinfoEndpoint },
  };
}

/** @throws DomainError OAUTH_PROVIDER_UNREACHABLE */
async function discover(issuer: string, signal: AbortSignal): Promise<ServerMetadata> {
  try {
    const configuration = await discovery(new URL(issuer), 'unused', {}, undefined, {
      execute: [allowInsecureRequests],
      [customFetch]: async (url, options) => {
        const { status, body } = await sendRequest(url, options as ProviderRequest, signal);
        return Response.json(body ?? null, { status });
      },
    });
    return configuration.serverMetadata();
  } catch {
    return reject('OAUTH_PROVIDER_UNREACHABLE');
  }
}
