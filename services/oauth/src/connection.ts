import type { ProviderId, ProviderKeys } from '@gatebook/commands/oauth/oauth-providers';
import { reject } from '@gatebook/domain/errors';
import { sharedProviderIds } from '@gatebook/domain/project/config';
import type { Clock } from '@gatebook/runtime/clock';
import type { SharedKeys } from '@gatebook/runtime/oauth-config';
import { allowInsecureRequests, customFetch, discovery, type ServerMetadata } from 'openid-client';
import { ask, type Question } from './ask.ts';
import { openIdEntry } from './open-id.ts';
import type { KeySettings, ProviderEntry } from './provider.ts';

export type ProviderEntries = Readonly<Record<ProviderId, ProviderEntry>>;

export type SharedProviders = {
  sharedKeys: Readonly<Partial<Record<ProviderId, SharedKeys>>>;
  /** One OpenID provider that stands in for every shared one whose keys are not there; client id = provider id. */
  sharedIssuer: { url: string; secret: string } | null;
};

/** Whom to speak with, and as whom. */
export type Connection = {
  /** Its endpoints are addresses: a tenant stands in them. */
  entry: ProviderEntry;
  clientId: string;
  clientSecret: string;
  /** Further parameters of the authorization request. */
  parameters: Readonly<Record<string, string>>;
  /** What discovery told: openid-client judges answers by it. */
  metadata: Partial<ServerMetadata>;
};

const discoveredMs = 10 * 60 * 1000;
/** Tenants are GUIDs, domains, or words like `common`: what could lead a URL elsewhere is none. */
const tenantForm = /^(?!.*\.\.)[a-z0-9][a-z0-9.-]{0,253}$/i;

/** Finds, for keys, whom to speak with. */
export function createConnections({
  entries,
  sharedKeys,
  sharedIssuer,
  now,
}: SharedProviders & { entries: ProviderEntries; now: Clock }) {
  const servers = new Map<string, { untilMs: number; server: Promise<ServerMetadata> }>();

  /** Asked for once in ten minutes, by whoever comes first. */
  function findServer(issuer: string, signal: AbortSignal): Promise<ServerMetadata> {
    const nowMs = Date.parse(now());
    const known = servers.get(issuer);
    if (known && known.untilMs > nowMs) return known.server;
    const found = { untilMs: nowMs + discoveredMs, server: discover(issuer, signal) };
    servers.set(issuer, found);
    found.server.catch(() => {
      if (servers.get(issuer) === found) servers.delete(issuer);
    });
    return found.server;
  }

  const isStoodInFor = (id: ProviderId) => sharedIssuer !== null && sharedProviderIds.some((shared) => shared === id);

  return {
    hasSharedKeys: (id: ProviderId): boolean => sharedKeys[id] !== undefined || isStoodInFor(id),

    /**
     * @throws DomainError OAUTH_PROVIDER_NOT_FOUND_OR_NOT_ENABLED for shared keys that are not there, OAUTH_PROVIDER_KEYS_REJECTED
     * for keys that can't be any, OAUTH_PROVIDER_UNREACHABLE where discovery fails
     */
    connect: async (keys: ProviderKeys, signal: AbortSignal): Promise<Connection> => {
      const { id } = keys;
      if (keys.type === 'standard') return connectTo(entries[id], keys, keys);
      const shared = sharedKeys[id];
      if (shared === undefined && (sharedIssuer === null || !isStoodInFor(id)))
        return reject('OAUTH_PROVIDER_NOT_FOUND_OR_NOT_ENABLED');
      if (shared && !shared.issuer) return connectTo(withEndpoints(entries[id], shared), shared, {});
      const issuer = shared?.issuer ?? sharedIssuer?.url ?? '';
      const client = shared ?? { clientId: id, clientSecret: sharedIssuer?.secret ?? '' };
      const metadata = await findServer(issuer, signal);
      const entry = openIdEntry(id, metadata, shared === undefined);
      return { ...connectTo(entry ?? reject('OAUTH_PROVIDER_UNREACHABLE'), client, {}), metadata };
    },
  };
}

function connectTo(
  entry: ProviderEntry,
  { clientId, clientSecret }: { clientId: string; clientSecret: string },
  settings: KeySettings,
): Connection {
  if (!clientId || !clientSecret) return reject('OAUTH_PROVIDER_KEYS_REJECTED');
  const tenant = entry.tenant?.(settings) ?? '';
  if (entry.tenant && !tenantForm.test(tenant)) return reject('OAUTH_PROVIDER_KEYS_REJECTED');
  const at = (endpoint: string) => endpoint.replaceAll('{tenant}', tenant);
  return {
    entry: {
      ...entry,
      authorizationEndpoint: at(entry.authorizationEndpoint),
      tokenEndpoint: at(entry.tokenEndpoint),
      idTokenKeys: entry.idTokenKeys === null ? null : at(entry.idTokenKeys),
    },
    clientId,
    clientSecret,
    parameters: entry.parameters?.(settings) ?? {},
    metadata: {},
  };
}

/**
 * A provider at other endpoints, GitHub Enterprise for example, which speaks as the provider does. Nobody tells its issuer
 * and keys, so its ID token is not looked at: its profile comes from it directly, by TLS.
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
    const found = await discovery(new URL(issuer), 'unused', {}, undefined, {
      execute: [allowInsecureRequests],
      [customFetch]: async (url, options) => {
        const { status, body } = await ask(url, options as Question, signal);
        return Response.json(body ?? null, { status });
      },
    });
    return found.serverMetadata();
  } catch {
    return reject('OAUTH_PROVIDER_UNREACHABLE');
  }
}
