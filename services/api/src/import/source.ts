import type { OtherEmail } from '@gatebook/commands/user/create-user';
import type { NewUser } from '@gatebook/contract/users';
import { base32ToBase64, isTrue, millis, record, text, type Values } from './values.ts';

/** What can't be imported from a row, although its user is. */
export type Loss =
  | 'invalid_field'
  | 'email_in_use'
  | 'email_missing'
  | 'hash_parameters_missing'
  | 'mfa_factor'
  | 'not_imported'
  | 'passkey'
  | 'password_method_off'
  | 'password_not_exported'
  | 'password_unsupported'
  | 'phone_number'
  | 'provider_account_unsupported'
  | 'provider_not_configured'
  | 'username';
export type LostPart = { reason: Loss; detail?: string };

/** A user of an export, in the form of the API's `POST /users`, and what the export has that Gatebook does not take. */
export type SourceUser = {
  /** ID in the other product. */
  sourceId: string;
  user: Omit<NewUser, 'id'>;
  otherEmails: readonly OtherEmail[];
  lost: readonly LostPart[];
};

/** Parameters of Firebase's password hashes, which are not in the export. */
export type FirebaseHash = { signerKey: string; saltSeparator: string; rounds: number; memCost: number };
export type SourceOptions = { firebaseHash: FirebaseHash | null };

/** Reads one row. @returns null for a row that is not a user; a text: why the row is rejected */
export type Source = (row: Values, options: SourceOptions) => SourceUser | string;

export type Address = { value: string; isVerified: boolean };
/** `provider` null: Gatebook has no such provider. `name`: that of the export. */
export type FoundAccount = { provider: string | null; name: string; accountId: unknown; email: unknown };

/** What the exports of all products have, as they have it. All but texts, times and objects count as missing. */
export type FoundUser = {
  sourceId: string;
  /** The first one is the primary one. A verified address that is not the primary one signs in too. */
  addresses: readonly Address[];
  displayName: unknown;
  image: unknown;
  signedUpAt: unknown;
  clientMetadata?: unknown;
  clientReadOnlyMetadata?: unknown;
  serverMetadata?: unknown;
  passwordHash?: unknown;
  /** In base32, as authenticator apps show it. */
  totp?: unknown;
  accounts: readonly FoundAccount[];
  isAnonymous?: unknown;
  isBlocked: unknown;
  lost: readonly LostPart[];
};

export function toSourceUser(found: FoundUser): SourceUser {
  const { primary, otherEmails } = emailFields(found.addresses);
  const { accounts, lost } = accountFields(found.accounts);
  const hash = text(found.passwordHash);
  const totp = text(found.totp);
  const secret = totp === null ? null : base32ToBase64(totp);
  return {
    sourceId: found.sourceId,
    user: {
      ...primary,
      display_name: text(found.displayName),
      profile_image_url: text(found.image),
      signed_up_at_millis: millis(found.signedUpAt),
      ...metadataField('client_metadata', found.clientMetadata),
      ...metadataField('client_read_only_metadata', found.clientReadOnlyMetadata),
      ...metadataField('server_metadata', found.serverMetadata),
      ...(hash === null ? {} : { password_hash: hash }),
      ...(secret === null ? {} : { totp_secret_base64: secret }),
      oauth_providers: accounts,
      ...(isTrue(found.isAnonymous) ? { is_anonymous: true } : {}),
      ...(isTrue(found.isBlocked) ? { restricted_by_admin: true } : {}),
    },
    otherEmails,
    lost: [...lost, ...found.lost, ...lostIf(totp !== null && secret === null, 'mfa_factor')],
  };
}

function emailFields(addresses: readonly Address[]) {
  const byValue = new Map<string, Address>();
  for (const address of addresses) {
    const key = address.value.toLowerCase();
    if (!byValue.has(key)) byValue.set(key, address);
  }
  const [primary, ...others] = byValue.values();
  return {
    primary: primary
      ? { primary_email: primary.value, primary_email_verified: primary.isVerified, primary_email_auth_enabled: true }
      : {},
    otherEmails: others.map((other) => ({ ...other, usedForAuth: other.isVerified })),
  };
}

export const address = (value: unknown, isVerified: unknown): readonly Address[] => {
  const found = text(value);
  return found === null ? [] : [{ value: found, isVerified: isTrue(isVerified) }];
};

type Account = { id: string; account_id: string; email?: string | null };

/** Splits accounts into those at providers that Gatebook can have and the others. */
function accountFields(accounts: readonly FoundAccount[]): { accounts: Account[]; lost: LostPart[] } {
  const lost: LostPart[] = [];
  const taken = accounts.flatMap(({ provider, name, accountId, email }) => {
    const id = text(accountId);
    if (provider !== null && id !== null) return [{ id: provider, account_id: id, email: text(email) }];
    lost.push({ reason: 'provider_account_unsupported', detail: name });
    return [];
  });
  return { accounts: taken, lost };
}

/** The ID of an OpenID Connect provider that has the name of a provider or connection in the other product. */
export const openIdProviderId = (name: string): string =>
  name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');

export const lostIf = (condition: unknown, reason: Loss, detail?: string): readonly LostPart[] =>
  condition ? [{ reason, ...(detail === undefined ? {} : { detail }) }] : [];

/** Metadata as the API takes it: absent instead of empty. */
export const metadataField = <Key extends string>(key: Key, value: unknown) => {
  const found = record(value);
  return (found === null ? {} : { [key]: found }) as { [key in Key]?: NewUser['server_metadata'] };
};
