import type { OAuthAccountView } from '@gatebook/contract/oauth';
import type { OAuthAccountDetailsRow } from '@gatebook/readmodel/users/oauth-accounts';
import type { Caller } from '../../caller.ts';

/** The ID of the account at the provider is for servers. */
export function toOAuthAccountView({ accessType }: Caller, row: OAuthAccountDetailsRow): OAuthAccountView {
  return {
    id: row.id,
    user_id: row.userId,
    provider_config_id: row.provider,
    type: row.provider,
    ...(row.email !== null && { email: row.email }),
    allow_sign_in: row.allowSignIn,
    allow_connected_accounts: row.allowConnectedAccounts,
    ...(accessType !== 'client' && { account_id: row.accountId ?? '' }),
  };
}
