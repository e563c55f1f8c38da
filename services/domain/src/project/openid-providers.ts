import { reject } from '../errors.ts';
import { type OAuthProviderConfig, type ProjectConfig, type ProjectSecrets, providerIds } from './config.ts';

export type OpenIdProvider = Extract<OAuthProviderConfig, { type: 'openid' }>;
export type SetOpenIdProvider = {
  type: 'SetOpenIdProvider';
  provider: Omit<OpenIdProvider, 'type'>;
  clientSecret: string;
  at: string;
};
export type RemoveOpenIdProvider = { type: 'RemoveOpenIdProvider'; id: string; at: string };

const maxOpenIdProviders = 50;
export const isOpenIdProvider = (provider: OAuthProviderConfig): provider is OpenIdProvider =>
  provider.type === 'openid';
export const isStandardProvider = (
  provider: OAuthProviderConfig,
): provider is Exclude<OAuthProviderConfig, OpenIdProvider> => !isOpenIdProvider(provider);

/** IDs become part of callback URLs and of the keyed hashes of accounts. */
const idForm = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
/** Names of sign-in methods, which share lists with provider IDs. Each object has a property `constructor`. */
const reservedIds: readonly string[] = [
  ...providerIds,
  ...['password', 'otp', 'passkey', 'anonymous', 'other', 'constructor'],
];

/** Why this text can't be the ID of an OpenID provider; null if it can. */
export function openIdProviderIdFault(id: string): string | null {
  if (!idForm.test(id)) return 'must be an ID of up to 63 lower-case letters, digits and -';
  return reservedIds.includes(id) ? 'is the ID of another sign-in method' : null;
}

/** Why this text can't be an issuer (OpenID Connect Discovery §2); null if it can. */
export function issuerFault(issuer: string): string | null {
  if (/\s/.test(issuer) || !URL.canParse(issuer)) return 'must be a URL';
  const { protocol, hostname, username, password } = new URL(issuer);
  const isLocal = protocol === 'http:' && /^(localhost|127\.0\.0\.1|\[::1\])$/.test(hostname);
  if (protocol !== 'https:' && !isLocal) return 'must begin with https://';
  if (username !== '' || password !== '' || /[?#{}]/.test(issuer)) {
    return 'must be a URL without user name, query, fragment or placeholder';
  }
  return issuer.includes('/.well-known/') ? 'must be the issuer, without /.well-known/openid-configuration' : null;
}

/** @throws DomainError SCHEMA_ERROR */
export function checkOpenIdProviders({ oauthProviders }: ProjectConfig): void {
  const providers = oauthProviders.filter(isOpenIdProvider);
  for (const { id, issuer } of providers) {
    const fault = openIdProviderIdFault(id);
    if (fault !== null) reject('SCHEMA_ERROR', { message: `The provider ID ${fault}` });
    const faultOfIssuer = issuerFault(issuer);
    if (faultOfIssuer !== null) reject('SCHEMA_ERROR', { message: `The issuer ${faultOfIssuer}` });
  }
  if (providers.length > maxOpenIdProviders) {
    reject('SCHEMA_ERROR', { message: `A project can have ${maxOpenIdProviders} OpenID Connect providers` });
  }
}

type Configured = { config: ProjectConfig; secrets: ProjectSecrets };
type Change = { config: Partial<ProjectConfig>; secrets: Partial<ProjectSecrets> };

/** The list of providers and their secrets after the command. */
export function applyOpenIdProvider(
  command: SetOpenIdProvider | RemoveOpenIdProvider,
  { config, secrets }: Configured,
): Change {
  if (command.type === 'RemoveOpenIdProvider') {
    const isRemoved = (provider: OAuthProviderConfig) => isOpenIdProvider(provider) && provider.id === command.id;
    return { config: { oauthProviders: config.oauthProviders.filter((each) => !isRemoved(each)) }, secrets: {} };
  }
  const { provider, clientSecret } = command;
  return {
    config: { oauthProviders: [...config.oauthProviders, { ...provider, type: 'openid' }] },
    secrets: { oauthClientSecrets: { ...secrets.oauthClientSecrets, [provider.id]: clientSecret } },
  };
}

/** Adds the OpenID providers of the project to a change of the others (protocol, projects §1.3 knows only these). */
export function keepOpenIdProviders(change: Change, before: Configured): Change {
  const { oauthProviders } = change.config;
  const { oauthClientSecrets } = change.secrets;
  const kept = before.config.oauthProviders.filter(isOpenIdProvider);
  return {
    config: {
      ...change.config,
      ...(oauthProviders && { oauthProviders: [...oauthProviders.filter(isStandardProvider), ...kept] }),
    },
    secrets: {
      ...change.secrets,
      ...(oauthClientSecrets && {
        oauthClientSecrets: { ...oauthClientSecrets, ...secretsOf(kept, before.secrets) },
      }),
    },
  };
}

const secretsOf = (providers: readonly OpenIdProvider[], { oauthClientSecrets }: ProjectSecrets) =>
  Object.fromEntries(
    providers.flatMap(({ id }) => {
      const secret = oauthClientSecrets[id];
      return secret === undefined ? [] : [[id, secret]];
    }),
  );
