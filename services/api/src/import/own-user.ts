import { address, type FoundAccount, lostIf, type SourceUser, toSourceUser } from './source.ts';
import { isTrue, records, text, type Values } from './values.ts';

export const accountColumn = /^([a-z0-9-]{1,63})_account_id$/;

/** The names of the API and the export for what the documented columns call otherwise. */
const synonyms: Readonly<Record<string, string>> = {
  name: 'display_name',
  primary_email: 'email',
  primary_email_verified: 'email_verified',
  signed_up_at_millis: 'signed_up_at',
  anonymous: 'is_anonymous',
  restricted: 'blocked',
  restricted_by_admin: 'blocked',
  restriction_reason: 'restricted_by_admin_reason',
  two_factor: 'requires_totp_mfa',
  is_multi_factor_required: 'requires_totp_mfa',
};

const imported: ReadonlySet<string> = new Set([
  ...['id', 'email', 'email_verified', 'primary_email_auth_enabled', 'display_name', 'profile_image_url'],
  ...['signed_up_at', 'client_metadata', 'client_read_only_metadata', 'server_metadata', 'password_hash'],
  ...['totp_secret', 'totp_secret_base64', 'oauth_providers', 'otp_auth_enabled', 'is_anonymous', 'blocked'],
  ...['restricted_by_admin_reason', 'restricted_by_admin_private_details'],
]);
/** Follow from other fields, or are reported under another reason. */
const implied: ReadonlySet<string> = new Set([
  ...['auth_with_email', 'is_restricted', 'restriction', 'restricted_reason'],
  ...['has_password', 'passkey_auth_enabled', 'requires_totp_mfa'],
]);

/** A user with Gatebook's own names. What can't be imported is named in the report. */
export function toOwnUser(given: Values): SourceUser | string {
  const row = withOwnNames(given);
  const sourceId = text(row.id) ?? text(row.email)?.toLowerCase() ?? null;
  if (sourceId === null) return 'The row has neither id nor email.';
  const secret = text(row.totp_secret_base64);
  const hasSecret = secret !== null || text(row.totp_secret) !== null;
  const leftOut = Object.keys(given).filter((key) => isLeftOut(synonyms[key] ?? key) && hasValue(given[key]));
  const found = toSourceUser({
    sourceId,
    addresses: address(row.email, row.email_verified),
    displayName: row.display_name,
    image: row.profile_image_url,
    signedUpAt: row.signed_up_at,
    clientMetadata: row.client_metadata,
    clientReadOnlyMetadata: row.client_read_only_metadata,
    serverMetadata: row.server_metadata,
    passwordHash: row.password_hash,
    totp: row.totp_secret,
    accounts: accountsOf(row),
    isAnonymous: row.is_anonymous,
    isBlocked: row.blocked,
    lost: [
      ...lostIf(isTrue(row.has_password) && text(row.password_hash) === null, 'password_not_exported'),
      ...lostIf(isTrue(row.passkey_auth_enabled), 'passkey'),
      ...lostIf(isTrue(row.requires_totp_mfa) && !hasSecret, 'mfa_factor'),
      ...lostIf(leftOut.length > 0, 'not_imported', leftOut.join(', ')),
    ],
  });
  return { ...found, user: { ...found.user, ...signInFields(row), ...restrictionTexts(row) } };
}

function withOwnNames(given: Values): Values {
  const renamed = Object.entries(given).map(([key, value]) => [synonyms[key] ?? key, value]);
  return {
    ...Object.fromEntries(renamed),
    ...Object.fromEntries(Object.entries(given).filter(([key]) => imported.has(key))),
  };
}

const isLeftOut = (key: string) => !imported.has(key) && !implied.has(key) && !accountColumn.test(key);

function hasValue(value: unknown): boolean {
  if (typeof value === 'object' && value !== null) return Object.values(value).some(hasValue);
  return Boolean(value) && value !== 'false';
}

function signInFields(row: Values): Partial<SourceUser['user']> {
  const secret = text(row.totp_secret_base64);
  return {
    ...(text(row.email) !== null && row.primary_email_auth_enabled === false && { primary_email_auth_enabled: false }),
    ...(typeof row.otp_auth_enabled === 'boolean' && { otp_auth_enabled: row.otp_auth_enabled }),
    ...(secret !== null && { totp_secret_base64: secret }),
  };
}

function restrictionTexts(row: Values): Partial<SourceUser['user']> {
  if (!isTrue(row.blocked)) return {};
  const reason = text(row.restricted_by_admin_reason);
  const details = text(row.restricted_by_admin_private_details);
  return {
    ...(reason !== null && { restricted_by_admin_reason: reason }),
    ...(details !== null && { restricted_by_admin_private_details: details }),
  };
}

function accountsOf(row: Values): readonly FoundAccount[] {
  const listed = records(row.oauth_providers).map(({ id, account_id: accountId, accountId: camelCaseId, email }) => {
    const provider = text(id)?.toLowerCase() ?? null;
    return { provider, name: provider ?? 'unknown', accountId: accountId ?? camelCaseId, email };
  });
  const columns = Object.entries(row).flatMap(([column, accountId]) => {
    const provider = accountColumn.exec(column)?.[1];
    return provider === undefined || text(accountId) === null
      ? []
      : [{ provider, name: provider, accountId, email: row.email }];
  });
  return [...listed, ...columns];
}
