import {
  accountFields,
  address,
  emailFields,
  isTrue,
  lostIf,
  metadataField,
  millis,
  records,
  restriction,
  type Source,
  text,
} from '../source.ts';

/** A user of Stack Auth's list of users, as its API returns it with a server key. */
export const readStack: Source = (row) => {
  const sourceId = text(row.id);
  if (sourceId === null) return 'The row has no id.';
  const { primary, otherEmails } = emailFields(address(row.primary_email, isTrue(row.primary_email_verified)));
  const { accounts, lost } = accountFields(
    records(row.oauth_providers).map(({ id, account_id: accountId, email }) => {
      const provider = text(id)?.toLowerCase() ?? null;
      return { provider, name: provider ?? 'unknown', accountId, email };
    }),
  );
  const reason = text(row.restricted_by_admin_reason);
  const isRestricted = isTrue(row.restricted_by_admin);
  return {
    sourceId,
    user: {
      ...primary,
      ...('primary_email' in primary && { primary_email_auth_enabled: row.primary_email_auth_enabled !== false }),
      display_name: text(row.display_name),
      profile_image_url: text(row.profile_image_url),
      signed_up_at_millis: millis(row.signed_up_at_millis),
      ...metadataField('client_metadata', row.client_metadata),
      ...metadataField('client_read_only_metadata', row.client_read_only_metadata),
      ...metadataField('server_metadata', row.server_metadata),
      otp_auth_enabled: isTrue(row.otp_auth_enabled),
      oauth_providers: accounts,
      ...(isTrue(row.is_anonymous) ? { is_anonymous: true } : {}),
      ...restriction(isRestricted),
      ...(isRestricted && reason !== null ? { restricted_by_admin_reason: reason } : {}),
    },
    otherEmails,
    lost: [
      ...lost,
      ...lostIf(isTrue(row.has_password), 'password_not_exported'),
      ...lostIf(isTrue(row.passkey_auth_enabled), 'passkey'),
      ...lostIf(isTrue(row.requires_totp_mfa), 'mfa_factor'),
    ],
  };
};
