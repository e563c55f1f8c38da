import {
  address,
  type FirebaseHash,
  type FoundAccount,
  type LostPart,
  lostIf,
  openIdProviderId,
  type Source,
  toSourceUser,
} from '../source.ts';
import { records, text, type Values } from '../values.ts';

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
  const accounts = accountsOf(row);
  const password = passwordOf(row, firebaseHash);
  const hasAccount = accounts.some(({ provider }) => provider !== null);
  return toSourceUser({
    sourceId,
    addresses: address(row.email, row.emailVerified),
    displayName: row.displayName,
    image: row.photoUrl,
    signedUpAt: row.createdAt,
    clientReadOnlyMetadata: row.customAttributes,
    passwordHash: password.hash,
    accounts,
    isAnonymous: !text(row.email) && !hasAccount && !text(row.phoneNumber),
    isBlocked: row.disabled,
    lost: [
      ...password.lost,
      ...lostIf(text(row.phoneNumber), 'phone_number'),
      ...lostIf(records(row.mfaInfo).length > 0, 'mfa_factor'),
    ],
  });
};

const accountsOf = (row: Values): readonly FoundAccount[] =>
  records(row.providerUserInfo)
    .filter(({ providerId }) => providerId !== 'password' && providerId !== 'phone')
    .map(({ providerId, rawId, email }) => {
      const name = text(providerId) ?? 'unknown';
      const custom = name.startsWith('oidc.') ? openIdProviderId(name.slice('oidc.'.length)) : null;
      return { provider: providers[name] ?? custom, name, accountId: rawId, email };
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
