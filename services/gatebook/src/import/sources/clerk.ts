import { isRecord } from '../row.ts';
import {
  type Address,
  accountFields,
  address,
  base32ToBase64,
  emailFields,
  isTrue,
  lostIf,
  metadataField,
  millis,
  nameOf,
  records,
  restriction,
  type Source,
  text,
  type Values,
} from '../source.ts';

const providers = ['google', 'github', 'microsoft', 'facebook', 'discord', 'gitlab', 'bitbucket', 'linkedin', 'apple'];

/**
 * A row of Clerk's CSV export, which has password digests, or a user of its API (`GET /v1/users`), which has metadata
 * and provider accounts. Import both: the second adds what the first lacks.
 */
export const readClerk: Source = (row) => {
  const sourceId = text(row.id);
  if (sourceId === null) return 'The row has no id.';
  const { primary, otherEmails } = emailFields(addressesOf(row));
  const { accounts, lost } = accountFields(accountsOf(row));
  const hash = hashOf(row);
  const totp = text(row.totp_secret);
  const secret = totp === null ? null : base32ToBase64(totp);
  return {
    sourceId,
    user: {
      ...primary,
      display_name: nameOf(row.first_name, row.last_name),
      ...(row.has_image === false ? {} : { profile_image_url: text(row.image_url) }),
      signed_up_at_millis: millis(row.created_at),
      ...metadataField('client_metadata', row.unsafe_metadata),
      ...metadataField('client_read_only_metadata', row.public_metadata),
      ...metadataField('server_metadata', row.private_metadata),
      ...(hash === null ? {} : { password_hash: hash }),
      ...(secret === null ? {} : { totp_secret_base64: secret }),
      oauth_providers: accounts,
      ...restriction(isTrue(row.banned)),
    },
    otherEmails,
    lost: [
      ...lost,
      ...lostIf(text(row.username), 'username'),
      ...lostIf(hasPhone(row), 'phone_number'),
      ...lostIf(records(row.passkeys).length > 0, 'passkey'),
      ...lostIf(records(row.web3_wallets).length > 0, 'provider_account_unsupported', 'web3 wallet'),
      ...lostIf((totp !== null && secret === null) || (isTrue(row.totp_enabled) && totp === null), 'mfa_factor'),
    ],
  };
};

function hasPhone(row: Values): boolean {
  const numbers = [row.primary_phone_number, row.verified_phone_numbers, row.unverified_phone_numbers];
  return records(row.phone_numbers).length > 0 || numbers.some((number) => text(number) !== null);
}

function addressesOf(row: Values): readonly Address[] {
  const listed = records(row.email_addresses);
  if (listed.length === 0) {
    const verified = splitList(row.verified_email_addresses);
    const primary = text(row.primary_email_address);
    return [
      ...address(primary, primary !== null && verified.includes(primary)),
      ...verified.flatMap((value) => address(value, true)),
      ...splitList(row.unverified_email_addresses).flatMap((value) => address(value, false)),
    ];
  }
  const isPrimary = ({ id }: Values) => id === row.primary_email_address_id;
  return [...listed.filter(isPrimary), ...listed.filter((each) => !isPrimary(each))].flatMap((each) => {
    const { verification } = each;
    return address(each.email_address, isRecord(verification) && verification.status === 'verified');
  });
}

const splitList = (value: unknown): readonly string[] => (text(value) ?? '').split(/[|,;\s]+/).filter(Boolean);

/** An account that is not verified is a link that was never completed. */
const accountsOf = (row: Values) =>
  records(row.external_accounts).map((account) => {
    const { verification } = account;
    const isVerified = !isRecord(verification) || verification.status === 'verified';
    const name = (text(account.provider) ?? 'unknown').replace(/^oauth_/, '').replace(/_oidc$/, '');
    const known = name === 'x' || name === 'twitter' ? 'x' : name;
    return {
      provider: isVerified && [...providers, 'x', 'spotify'].includes(known) ? known : null,
      name,
      accountId: account.provider_user_id,
      email: account.email_address,
    };
  });

/** Clerk's own form of Firebase's hashes: hash, salt, signer key, salt separator, rounds and memory cost. */
function hashOf(row: Values): string | null {
  const digest = text(row.password_digest);
  if (digest === null || row.password_hasher !== 'scrypt_firebase') return digest;
  const [hash, salt, signerKey, separator, rounds, memory] = digest.split('$');
  return `$fbscrypt$v=1,n=${memory},r=${rounds},p=1,ss=${separator},sk=${signerKey}$${salt}$${hash}`;
}
