import type { ProviderId, ProviderKeys } from '@gatebook/commands/oauth/oauth-providers';
import { reject } from '@gatebook/domain/errors';
import { sharedProviderIds } from '@gatebook/domain/project/config';
import type { Clock } from '@gatebook/runtime/clock';
import { createLruCache } from '@gatebook/runtime/lru-cache';
import type { SharedIssuer, SharedKeys } from '@gatebook/runtime/oauth-config';
import type { ServerMetadata } from 'openid-client';
import { type IssuerMetadata, readIssuerMetadata } from './issuer-metadata.ts';
import { createOpenIdEntry } from './open-id.ts';
import type { KeySettings, ProviderEntry } from './provider.ts';
import { type Network, openNetwork } from './request.ts';

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
  network: Network;
  /** The simulator knows no scopes of providers, so a refresh names none. */
  ignoresScopes: boolean;
};

const discoveryLifeMs = 10 * 60 * 1000;
const maxIssuers = 1_000;
/** The same for every OpenID provider that an owner adds: not all of them list the scopes that they know. */
export const openIdScopes = ['openid', 'email', 'profile'] as const;
/** Tenants are GUIDs, domains or words like `common`. Reject anything that could change the host of a URL. */
const tenantForm = /^(?!.*\.\.)[a-z0-9][a-z0-9.-]{0,253}$/i;

/** Resolves keys to provider clients. `guarded`: the network for issuers that owners chose. */
export function createProviderClients({
  entries,
  sharedKeys,
  sharedIssuer,
  guarded,
  now,
}: SharedProviders & { entries: ProviderEntries; guarded: Network; now: Clock }) {
  const findTrusted = createMetadataCache(openNetwork, now);
  const findChosen = createMetadataCache(guarded, now);

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
      if (keys.type === 'openid') {
        const metadata = await findChosen(keys.issuer, signal);
        const entry = createOpenIdEntry(keys.id, metadata, false) ?? reject('OAUTH_PROVIDER_UNREACHABLE');
        const client = buildClient({ ...entry, baseScopes: openIdScopes, usesNonce: true }, keys, {});
        return { ...client, metadata, network: guarded };
      }
      const { id } = keys;
      const isSimulated = keys.type === 'standard' && usesSharedIssuer(id) && areSimulatorKeys(keys);
      if (keys.type === 'standard' && !isSimulated) return buildClient(entries[id], keys, keys);
      const shared = isSimulated ? undefined : sharedKeys[id];
      if (shared === undefined && (sharedIssuer === null || !usesSharedIssuer(id)))
        return reject('OAUTH_PROVIDER_NOT_FOUND_OR_NOT_ENABLED');
      if (shared && !shared.issuer) return buildClient(withEndpoints(entries[id], shared), shared, {});
      const issuer = shared?.issuer ?? sharedIssuer?.url ?? '';
      const client = shared ?? { clientId: id, clientSecret: sharedIssuer?.secret ?? '' };
      const metadata = await findTrusted(issuer, signal);
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
    network: openNetwork,
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

/**
 * Metadata of issuers, discovered at most once in ten minutes and shared by concurrent callers. Failures are not kept.
 * The result throws DomainError OAUTH_PROVIDER_UNREACHABLE.
 */
function createMetadataCache(network: Network, now: Clock) {
  const known = createLruCache<{ untilMs: number; metadata: Promise<IssuerMetadata> }>(maxIssuers);

  return (issuer: string, signal: AbortSignal): Promise<IssuerMetadata> => {
    const nowMs = Date.parse(now());
    const before = known.get(issuer);
    if (before && before.untilMs > nowMs) return before.metadata;
    const metadata = discover(network, issuer, signal);
    const entry = { untilMs: nowMs + discoveryLifeMs, metadata };
    known.set(issuer, entry, 1);
    metadata.catch(() => {
      if (known.get(issuer) === entry) known.delete(issuer);
    });
    return metadata;
  };
}

async function discover(network: Network, issuer: string, signal: AbortSignal): Promise<IssuerMetadata> {
  const found = await readIssuerMetadata(network, issuer, signal);
  return 'metadata' in found ? found.metadata : reject('OAUTH_PROVIDER_UNREACHABLE');
}
