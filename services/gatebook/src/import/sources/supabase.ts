import { isRecord } from '../row.ts';
import {
  accountFields,
  address,
  base32ToBase64,
  emailFields,
  isTrue,
  lostIf,
  metadataField,
  millis,
  nameOf,
  record,
  records,
  restriction,
  type Source,
  text,
  type Values,
} from '../source.ts';

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
  const { primary, otherEmails } = emailFields(address(row.email, isVerified));
  const { accounts, lost } = accountFields(accountsOf(row));
  const hash = text(row.encrypted_password);
  const factors = records(row.mfa_factors ?? row.factors).filter(({ status }) => status === 'verified');
  const totp = factors.map(({ factor_type: type, secret }) => (type === 'totp' ? text(secret) : null)).find(Boolean);
  const secret = totp ? base32ToBase64(totp) : null;
  return {
    sourceId,
    user: {
      ...primary,
      display_name: nameOf(own.full_name) ?? nameOf(own.name) ?? nameOf(own.display_name),
      profile_image_url: text(own.avatar_url) ?? text(own.picture),
      signed_up_at_millis: millis(row.created_at),
      ...metadataField('client_metadata', own),
      ...metadataField('server_metadata', row.raw_app_meta_data ?? row.app_metadata),
      ...(hash === null ? {} : { password_hash: hash }),
      ...(secret === null ? {} : { totp_secret_base64: secret }),
      oauth_providers: accounts,
      ...(isTrue(row.is_anonymous) ? { is_anonymous: true } : {}),
      ...restriction((millis(row.banned_until) ?? 0) > Date.now()),
    },
    otherEmails,
    lost: [
      ...lost,
      ...lostIf(text(row.phone), 'phone_number'),
      ...lostIf(factors.length > (secret === null ? 0 : 1), 'mfa_factor'),
    ],
  };
};

const accountsOf = (row: Values) =>
  records(row.identities)
    .filter(({ provider }) => provider !== 'email' && provider !== 'phone')
    .map((identity) => {
      const name = text(identity.provider) ?? 'unknown';
      const data = isRecord(identity.identity_data) ? identity.identity_data : {};
      // In the admin API, `id` is the account and `identity_id` the row.
      const accountId = identity.provider_id ?? data.sub ?? identity.id;
      return { provider: providers[name] ?? null, name, accountId, email: data.email ?? identity.email };
    });
