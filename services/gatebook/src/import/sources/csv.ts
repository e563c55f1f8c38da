import { providerIds } from '@gatebook/domain/project/config';
import {
  accountFields,
  address,
  base32ToBase64,
  emailFields,
  isTrue,
  lostIf,
  metadataField,
  millis,
  restriction,
  type Source,
  text,
} from '../source.ts';

const columns = [
  ...['id', 'email', 'email_verified', 'display_name', 'profile_image_url', 'signed_up_at'],
  ...['password_hash', 'totp_secret', 'client_metadata', 'client_read_only_metadata', 'server_metadata', 'blocked'],
  ...providerIds.map((id) => `${id}_account_id`),
];

/** A row with columns that Gatebook documents (docs/migrate/csv.md). The ID is that of the user, or the address. */
export const readCsv: Source = (row) => {
  const unknown = Object.keys(row).find((column) => !columns.includes(column));
  if (unknown !== undefined) return `Unknown column "${unknown}"; expected: ${columns.join(', ')}.`;
  const sourceId = text(row.id) ?? text(row.email)?.toLowerCase() ?? null;
  if (sourceId === null) return 'The row has neither id nor email.';
  const { primary, otherEmails } = emailFields(address(row.email, isTrue(row.email_verified)));
  const { accounts, lost } = accountFields(
    providerIds
      .map((provider) => ({ provider, name: provider, accountId: row[`${provider}_account_id`], email: row.email }))
      .filter(({ accountId }) => text(accountId) !== null),
  );
  const hash = text(row.password_hash);
  const totp = text(row.totp_secret);
  const secret = totp === null ? null : base32ToBase64(totp);
  return {
    sourceId,
    user: {
      ...primary,
      display_name: text(row.display_name),
      profile_image_url: text(row.profile_image_url),
      signed_up_at_millis: millis(row.signed_up_at),
      ...metadataField('client_metadata', row.client_metadata),
      ...metadataField('client_read_only_metadata', row.client_read_only_metadata),
      ...metadataField('server_metadata', row.server_metadata),
      ...(hash === null ? {} : { password_hash: hash }),
      ...(secret === null ? {} : { totp_secret_base64: secret }),
      oauth_providers: accounts,
      ...restriction(isTrue(row.blocked)),
    },
    otherEmails,
    lost: [...lost, ...lostIf(totp !== null && secret === null, 'mfa_factor')],
  };
};
