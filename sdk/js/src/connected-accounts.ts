import type { OAuthClient } from './auth/oauth.ts';
import { isKnownError } from './errors.ts';
import type { Send } from './transport.ts';

/** An account of the signed-in user at an OAuth provider. */
export type ConnectedAccount = {
  /** The provider's ID. */
  id: string;
  /**
   * A token with the requested scopes for the provider's API.
   * @throws KnownError OAUTH_ACCESS_TOKEN_NOT_AVAILABLE_WITH_SHARED_OAUTH_KEYS
   */
  getAccessToken(): Promise<{ accessToken: string }>;
};
/** `redirect` leaves the page for the provider if the account is missing or lacks scopes. */
export type FindConnectedAccount = { scopes?: readonly string[]; or?: 'return-null' | 'redirect' };
/** Null if the account is not linked or lacks scopes. */
export type GetConnectedAccount = (
  provider: string,
  options?: FindConnectedAccount,
) => Promise<ConnectedAccount | null>;

/** (protocol, client §12.10) */
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
      if (!isKnownError(error, ...missingAccountErrors)) throw error;
      return or === 'redirect' ? oauth.linkWithOAuth(id, { scopes }) : null;
    }
  };
}

const missingAccountErrors = [
  'OAUTH_CONNECTION_NOT_CONNECTED_TO_USER',
  'OAUTH_CONNECTION_DOES_NOT_HAVE_REQUIRED_SCOPE',
] as const;
