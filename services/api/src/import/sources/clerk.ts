import { isRecord } from '@gatebook/contract/import/row';
import {
  type Address,
  address,
  type FoundAccount,
  lostIf,
  openIdProviderId,
  type Source,
  toSourceUser,
} from '../source.ts';
import { isTrue, nameOf, records, text, type Values } from '../values.ts';

const providers = [
  ...[
    'google',
    'github',
    'microsoft',
    'facebook',
    'discord',
    'gitlab',
    'bitbucket',
    'linkedin',
    'apple',
    'x',
    'spotify',
  ],
];

/**
 * A row of Clerk's CSV export, which has password digests, or a user of its API (`GET /v1/users`), which has metadata
 * and provider accounts. Import both: the second adds what the first lacks.
 */
export const readClerk: Source = (row) => {
  const sourceId = text(row.id);
  if (sourceId === null) return 'The row has no id.';
  return toSourceUser({
    sourceId,
    addresses: addressesOf(row),
    displayName: nameOf(row.first_name, row.last_name),
    image: row.has_image === false ? null : row.image_url,
    signedUpAt: row.created_at,
    clientMetadata: row.unsafe_metadata,
    clientReadOnlyMetadata: row.public_metadata,
    serverMetadata: row.private_metadata,
    passwordHash: hashOf(row),
    totp: row.totp_secret,
    accounts: records(row.external_accounts).map(toAccount),
    isBlocked: row.banned,
    lost: [
      ...lostIf(text(row.username), 'username'),
      ...lostIf(hasPhone(row), 'phone_number'),
      ...lostIf(records(row.passkeys).length > 0, 'passkey'),
      ...lostIf(records(row.web3_wallets).length > 0, 'provider_account_unsupported', 'web3 wallet'),
      ...lostIf(isTrue(row.totp_enabled) && text(row.totp_secret) === null, 'mfa_factor'),
    ],
  });
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
function toAccount(account: Values): FoundAccount {
  const { verification, provider_user_id: accountId, email_address: email } = account;
  const isVerified = !isRecord(verification) || verification.status === 'verified';
  const name = (text(account.provider) ?? 'unknown').replace(/^oauth_/, '').replace(/_oidc$/, '');
  return { provider: isVerified ? providerOf(name) : null, name, accountId, email };
}

function providerOf(name: string): string | null {
  if (name === 'twitter') return 'x';
  if (providers.includes(name)) return name;
  return name.startsWith('custom_') ? openIdProviderId(name.slice('custom_'.length)) : null;
}

/** Clerk's own form of Firebase's hashes: hash, salt, signer key, salt separator, rounds and memory cost. */
function hashOf(row: Values): string | null {
  const digest = text(row.password_digest);
  if (digest === null || row.password_hasher !== 'scrypt_firebase') return digest;
  const [hash, salt, signerKey, separator, rounds, memory] = digest.split('$');
  return `$fbscrypt$v=1,n=${memory},r=${rounds},p=1,ss=${separator},sk=${signerKey}$${salt}$${hash}`;
}
