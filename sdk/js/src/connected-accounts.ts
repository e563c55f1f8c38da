import type { OAuthClient } from './auth/oauth.ts';
import { isKnownError } from './errors.ts';
import type { Send } from './transport.ts';

/** What the signed-in user has at a provider. */
export type ConnectedAccount = {
  /** Of the provider. */
  id: string;
  /** A token for the provider's own API that has the scopes asked for. @throws KnownError OAUTH_ACCESS_TOKEN_NOT_AVAILABLE_WITH_SHARED_OAUTH_KEYS */
  getAccessToken(): Promise<{ accessToken: string }>;
};
/** With `redirect`, an account that is missing or lacks scopes is asked for at the provider; the page is left for it. */
export type FindConnectedAccount = { scopes?: readonly string[]; or?: 'return-null' | 'redirect' };
/** Null for an account that is not linked, or was linked without the scopes. */
export type GetConnectedAccount = (
  provider: string,
  options?: FindConnectedAccount,
) => Promise<ConnectedAccount | null>;

/** client.md §12.10 */
export function createGetConnectedAccount(send: Send, oauth: Pick<OAuthClient, 'linkWithOAuth'>): GetConnectedAccount {
  return async (provider, { scopes = [], or = 'return-null' } = {}) => {
    const id = provider.toLowerCase();
    const scope = scopes.join(' ');
    const getAccessToken = async () => {
      const path = `/connected-accounts/me/${encodeURIComponent(id)}/access-token`;
      const { access_token } = await send<{ access_token: string }>('POST', path, scope === '' ? {} : { scope });
      return { accessToken: access_token };
    };
    try {
      await getAccessToken();
      return { id, getAccessToken };
    } catch (error) {
      if (!isKnownError(error, ...lacking)) throw error;
      return or === 'redirect' ? oauth.linkWithOAuth(id, { scopes }) : null;
    }
  };
}

const lacking = ['OAUTH_CONNECTION_NOT_CONNECTED_TO_USER', 'OAUTH_CONNECTION_DOES_NOT_HAVE_REQUIRED_SCOPE'] as const;
