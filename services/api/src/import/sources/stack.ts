import { address, lostIf, type Source, toSourceUser } from '../source.ts';
import { isTrue, records, text } from '../values.ts';

/** A user of Stack Auth's list of users, as its API returns it with a server key. */
export const readStack: Source = (row) => {
  const sourceId = text(row.id);
  if (sourceId === null) return 'The row has no id.';
  const found = toSourceUser({
    sourceId,
    addresses: address(row.primary_email, row.primary_email_verified),
    displayName: row.display_name,
    image: row.profile_image_url,
    signedUpAt: row.signed_up_at_millis,
    clientMetadata: row.client_metadata,
    clientReadOnlyMetadata: row.client_read_only_metadata,
    serverMetadata: row.server_metadata,
    accounts: records(row.oauth_providers).map(({ id, account_id: accountId, email }) => {
      const provider = text(id)?.toLowerCase() ?? null;
      return { provider, name: provider ?? 'unknown', accountId, email };
    }),
    isAnonymous: row.is_anonymous,
    isBlocked: row.restricted_by_admin,
    lost: [
      ...lostIf(isTrue(row.has_password), 'password_not_exported'),
      ...lostIf(isTrue(row.passkey_auth_enabled), 'passkey'),
      ...lostIf(isTrue(row.requires_totp_mfa), 'mfa_factor'),
    ],
  });
  const reason = isTrue(row.restricted_by_admin) ? text(row.restricted_by_admin_reason) : null;
  const user = {
    ...found.user,
    ...(found.user.primary_email && { primary_email_auth_enabled: row.primary_email_auth_enabled !== false }),
    otp_auth_enabled: isTrue(row.otp_auth_enabled),
    ...(reason === null ? {} : { restricted_by_admin_reason: reason }),
  };
  return { ...found, user };
};
