import { isRecord } from '@gatebook/contract/import/row';
import { address, type FoundAccount, lostIf, openIdProviderId, type Source, toSourceUser } from '../source.ts';
import { millis, nameOf, record, records, text, type Values } from '../values.ts';

const providers: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    ['google', 'github', 'facebook', 'discord', 'gitlab', 'bitbucket', 'spotify', 'apple', 'x'].map((id) => [id, id]),
  ),
  azure: 'microsoft',
  linkedin: 'linkedin',
  linkedin_oidc: 'linkedin',
  twitter: 'x',
};

/**
 * A row of Supabase's table `auth.users`, as CSV or JSON, with `identities` and `mfa_factors` if the export joins them;
 * or a user of its admin API, which has no password hashes.
 */
export const readSupabase: Source = (row) => {
  const sourceId = text(row.id);
  if (sourceId === null) return 'The row has no id.';
  if (text(row.deleted_at) !== null) return 'The user was deleted in Supabase.';
  const own = record(row.raw_user_meta_data ?? row.user_metadata) ?? {};
  // Not `confirmed_at`, which is also set when only the phone number is confirmed.
  const isVerified = text(row.email_confirmed_at) !== null;
  const factors = records(row.mfa_factors ?? row.factors).filter(({ status }) => status === 'verified');
  const totp = factors.map(({ factor_type: type, secret }) => (type === 'totp' ? text(secret) : null)).find(Boolean);
  return toSourceUser({
    sourceId,
    addresses: address(row.email, isVerified),
    displayName: nameOf(own.full_name) ?? nameOf(own.name) ?? nameOf(own.display_name),
    image: text(own.avatar_url) ?? own.picture,
    signedUpAt: row.created_at,
    clientMetadata: own,
    serverMetadata: row.raw_app_meta_data ?? row.app_metadata,
    passwordHash: row.encrypted_password,
    totp,
    accounts: accountsOf(row),
    isAnonymous: row.is_anonymous,
    isBlocked: (millis(row.banned_until) ?? 0) > Date.now(),
    lost: [...lostIf(text(row.phone), 'phone_number'), ...lostIf(factors.length > (totp ? 1 : 0), 'mfa_factor')],
  });
};

const accountsOf = (row: Values): readonly FoundAccount[] =>
  records(row.identities)
    .filter(({ provider }) => provider !== 'email' && provider !== 'phone')
    .map((identity) => {
      const name = text(identity.provider) ?? 'unknown';
      const data = isRecord(identity.identity_data) ? identity.identity_data : {};
      // In the admin API, `id` is the account and `identity_id` the row.
      const accountId = identity.provider_id ?? data.sub ?? identity.id;
      return {
        provider: providers[name] ?? customProvider(name),
        name,
        accountId,
        email: data.email ?? identity.email,
      };
    });

/** Providers of the project's own have a prefix; Keycloak is one that Supabase knows and Gatebook does not. */
function customProvider(name: string): string | null {
  if (name === 'keycloak') return name;
  return name.startsWith('custom:') ? openIdProviderId(name.slice('custom:'.length)) : null;
}
