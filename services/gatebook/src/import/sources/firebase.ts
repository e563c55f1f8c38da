import {
  accountFields,
  address,
  emailFields,
  type FirebaseHash,
  isTrue,
  type LostPart,
  lostIf,
  metadataField,
  millis,
  records,
  restriction,
  type Source,
  text,
  type Values,
} from '../source.ts';

const providers: Readonly<Record<string, string>> = {
  'google.com': 'google',
  'github.com': 'github',
  'facebook.com': 'facebook',
  'microsoft.com': 'microsoft',
  'apple.com': 'apple',
  'twitter.com': 'x',
  'linkedin.com': 'linkedin',
};

/** A user of `firebase auth:export users.json`. */
export const readFirebase: Source = (row, { firebaseHash }) => {
  const sourceId = text(row.localId);
  if (sourceId === null) return 'The row has no localId.';
  const { primary, otherEmails } = emailFields(address(row.email, isTrue(row.emailVerified)));
  const { accounts, lost } = accountFields(accountsOf(row));
  const password = passwordOf(row, firebaseHash);
  const isAnonymous = !text(row.email) && accounts.length === 0 && !text(row.phoneNumber);
  return {
    sourceId,
    user: {
      ...primary,
      display_name: text(row.displayName),
      profile_image_url: text(row.photoUrl),
      signed_up_at_millis: millis(row.createdAt),
      ...metadataField('client_read_only_metadata', row.customAttributes),
      ...(password.hash === null ? {} : { password_hash: password.hash }),
      oauth_providers: accounts,
      ...(isAnonymous ? { is_anonymous: true } : {}),
      ...restriction(isTrue(row.disabled)),
    },
    otherEmails,
    lost: [
      ...lost,
      ...password.lost,
      ...lostIf(text(row.phoneNumber), 'phone_number'),
      ...lostIf(records(row.mfaInfo).length > 0, 'mfa_factor'),
    ],
  };
};

const accountsOf = (row: Values) =>
  records(row.providerUserInfo)
    .filter(({ providerId }) => providerId !== 'password' && providerId !== 'phone')
    .map(({ providerId, rawId, email }) => {
      const name = text(providerId) ?? 'unknown';
      return { provider: providers[name] ?? null, name, accountId: rawId, email };
    });

function passwordOf(
  row: Values,
  firebaseHash: FirebaseHash | null,
): { hash: string | null; lost: readonly LostPart[] } {
  const hash = text(row.passwordHash);
  if (hash === null) return { hash: null, lost: [] };
  const imported = Buffer.from(hash, 'base64').toString();
  // A user who has not signed in since an import into Firebase still has the hash of that import.
  if (/^\$2[aby]\$/.test(imported)) return { hash: imported, lost: [] };
  const salt = text(row.salt);
  if (firebaseHash === null || salt === null) return { hash: null, lost: lostIf(true, 'hash_parameters_missing') };
  const { signerKey, saltSeparator, rounds, memCost } = firebaseHash;
  const parameters = `n=${memCost},r=${rounds},p=1,ss=${base64(saltSeparator)},sk=${base64(signerKey)}`;
  return { hash: `$fbscrypt$v=1,${parameters}$${base64(salt)}$${base64(hash)}`, lost: [] };
}

/** Exports use the alphabet for URLs, the console the other one. */
const base64 = (encoded: string) => encoded.replaceAll('-', '+').replaceAll('_', '/');
