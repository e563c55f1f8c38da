import type { OAuthAccountView } from '@gatebook/contract/oauth';
import { isKnownError, KnownError } from '../errors.ts';
import type { Read } from './cache.ts';
import { fromWire, queryOf, toWire } from './fields.ts';
import { type Context, readList, selectFrom } from './reads.ts';
import { type Result, toResult } from './result.ts';

type Account = {
  /** Deprecated: the provider. */
  id: string;
  provider: string;
  providerAccountId: string;
};
/** An account at a provider whose API the app may call. */
export type OAuthConnection = Account & {
  /** A token with these scopes. */
  getAccessToken(options?: { scopes?: readonly string[] }): Promise<Result<{ accessToken: string }>>;
};
/** What `getConnectedAccount` with a provider returns: `getAccessToken` throws. */
export type DeprecatedOAuthConnection = Account & {
  getAccessToken(): Promise<{ accessToken: string }>;
};
/** `redirect` leaves the page for the provider if the account is missing or lacks scopes. */
export type GetConnectedAccountOptions = { or?: 'redirect' | 'throw' | 'return-null'; scopes?: readonly string[] };

export type OAuthProvider = {
  readonly id: string;
  /** The provider, such as `github`. */
  readonly type: string;
  readonly userId: string;
  /** For servers only. */
  readonly accountId?: string;
  readonly email?: string;
  readonly allowSignIn: boolean;
  readonly allowConnectedAccounts: boolean;
  update(options: OAuthProviderUpdateOptions): Promise<Result>;
  delete(): Promise<void>;
};
/** Only servers change the last two. */
export type OAuthProviderUpdateOptions = {
  allowSignIn?: boolean;
  allowConnectedAccounts?: boolean;
  accountId?: string;
  email?: string;
};

/** The part of users that is about their accounts at providers. */
export type AccountOwner = {
  getConnectedAccount(
    provider: string,
    options?: GetConnectedAccountOptions,
  ): Promise<DeprecatedOAuthConnection | null>;
  getConnectedAccount(account: Omit<Account, 'id'>): Promise<OAuthConnection | null>;
  listConnectedAccounts: Read<[], OAuthConnection[]>;
  /** Leaves the page. */
  linkConnectedAccount(provider: string, options?: { scopes?: readonly string[] }): Promise<void>;
  /** Leaves the page for the provider if there is no account with these scopes. */
  getOrLinkConnectedAccount(provider: string, options?: { scopes?: readonly string[] }): Promise<OAuthConnection>;
  listOAuthProviders: Read<[], OAuthProvider[]>;
  getOAuthProvider: Read<[id: string], OAuthProvider | null>;
};

/** Leaves the page for the provider; never resolves. */
export type LinkAccount = (provider: string, scopes: readonly string[]) => Promise<never>;

const missing = [
  'OAUTH_CONNECTION_NOT_CONNECTED_TO_USER',
  'OAUTH_CONNECTION_DOES_NOT_HAVE_REQUIRED_SCOPE',
  'OAUTH_ACCESS_TOKEN_NOT_AVAILABLE',
] as const satisfies readonly KnownError['code'][];

/** (protocol, client §12.10). `userId` can be `me`. */
export function accountsOf(context: Context, userId: string, link: LinkAccount): AccountOwner {
  const { send } = context;
  const tokenOf = async (path: string, scopes: readonly string[] = []) => {
    const body = scopes.length === 0 ? {} : { scope: scopes.join(' ') };
    return fromWire(await send<{ access_token: string }>('POST', `${path}/access-token`, body));
  };
  const pathOf = (...parts: string[]) => ['/connected-accounts', userId, ...parts.map(encodeURIComponent)].join('/');

  const listConnectedAccounts = readList(
    context,
    () => pathOf(),
    (view: { provider: string; provider_account_id: string }): OAuthConnection => {
      const { provider, providerAccountId } = fromWire(view);
      const path = pathOf(provider, providerAccountId);
      return {
        ...{ id: provider, provider, providerAccountId },
        getAccessToken: ({ scopes } = {}) => {
          const token = tokenOf(path, scopes).catch((error) => throwUnavailable(error, provider));
          return toResult(token, 'OAUTH_ACCESS_TOKEN_NOT_AVAILABLE');
        },
      };
    },
  );

  /** The first account of the provider that has a token with these scopes. */
  const findUsable = async (provider: string, scopes: readonly string[] = []): Promise<OAuthConnection | null> => {
    for (const account of await listConnectedAccounts()) {
      if (account.provider !== provider) continue;
      if ((await account.getAccessToken({ scopes })).status === 'ok') return account;
    }
    return null;
  };

  const findByProvider = async (provider: string, { or, scopes = [] }: GetConnectedAccountOptions) => {
    const path = pathOf(provider);
    try {
      await tokenOf(path, scopes);
    } catch (error) {
      if (!isKnownError(error, ...missing)) throw error;
      if (or === 'redirect') return link(provider, scopes);
      if (or === 'throw') throw error;
      return null;
    }
    const account = (await listConnectedAccounts()).find((one) => one.provider === provider);
    const providerAccountId = account?.providerAccountId ?? '';
    return { id: provider, provider, providerAccountId, getAccessToken: () => tokenOf(path, scopes) };
  };

  function getConnectedAccount(
    provider: string,
    options?: GetConnectedAccountOptions,
  ): Promise<DeprecatedOAuthConnection | null>;
  function getConnectedAccount(account: Omit<Account, 'id'>): Promise<OAuthConnection | null>;
  async function getConnectedAccount(
    given: string | Omit<Account, 'id'>,
    options: GetConnectedAccountOptions = {},
  ): Promise<DeprecatedOAuthConnection | OAuthConnection | null> {
    if (typeof given === 'string') return findByProvider(given.toLowerCase(), options);
    const isWanted = (account: OAuthConnection) =>
      account.provider === given.provider && account.providerAccountId === given.providerAccountId;
    return (await listConnectedAccounts()).find(isWanted) ?? null;
  }

  const { listOAuthProviders } = oauthProvidersOf(context, userId);
  return {
    getConnectedAccount,
    listConnectedAccounts,
    linkConnectedAccount: (provider, { scopes = [] } = {}) => link(provider, scopes),
    getOrLinkConnectedAccount: async (provider, { scopes = [] } = {}) =>
      (await findUsable(provider.toLowerCase(), scopes)) ?? link(provider, scopes),
    listOAuthProviders,
    getOAuthProvider: selectFrom(
      (_id: string) => listOAuthProviders.resource(),
      (providers, id) => providers.find((provider) => provider.id === id) ?? null,
    ),
  };
}

/** One code for all reasons why the account has to be linked again. */
function throwUnavailable(error: unknown, provider: string): never {
  if (!isKnownError(error, ...missing)) throw error;
  const details = { provider, details: error.message };
  throw new KnownError('OAUTH_ACCESS_TOKEN_NOT_AVAILABLE', error.status, error.message, details);
}

const oauthProvidersPath = '/oauth-providers';

const oauthProvidersOf = (context: Context, userId: string) => ({
  listOAuthProviders: readList(
    context,
    () => `${oauthProvidersPath}${queryOf({ userId })}`,
    (view: OAuthAccountView) => toOAuthProvider(context, userId, view),
  ),
});

export function toOAuthProvider({ send, cache }: Context, userId: string, view: OAuthAccountView): OAuthProvider {
  const { providerConfigId: _, ...fields } = fromWire(view);
  const path = `${oauthProvidersPath}/${userId}/${fields.id}`;
  const changing = async (call: Promise<unknown>) => {
    await call;
    await cache.refresh(oauthProvidersPath, '/connected-accounts', '/users');
    return undefined;
  };
  return {
    ...fields,
    update: (options) =>
      toResult(changing(send('PATCH', path, toWire(options))), 'OAUTH_PROVIDER_ACCOUNT_ID_ALREADY_USED_FOR_SIGN_IN'),
    delete: () => changing(send('DELETE', path, {})),
  } as OAuthProvider;
}
