import { isRecord } from '@gatebook/contract/import/row';
import { address, lostIf, openIdProviderId, type Source, toSourceUser } from '../source.ts';
import { isTrue, nameOf, records, text, type Values } from '../values.ts';

/** Gatebook's providers by Auth0's strategies. */
const providers: Readonly<Record<string, string>> = {
  'google-oauth2': 'google',
  windowslive: 'microsoft',
  twitter: 'x',
  facebook: 'facebook',
  github: 'github',
  apple: 'apple',
  linkedin: 'linkedin',
  bitbucket: 'bitbucket',
};

/**
 * A line of Auth0's user export, or of its export of password hashes, which has the same users with `_id`. Import the
 * users first: the hashes are then added to them.
 */
export const readAuth0: Source = (row) => {
  const sourceId = text(row.user_id) ?? text(row.Id) ?? idOfHash(row);
  if (sourceId === null) return 'The row has no user_id.';
  const identifier = records(row.identifiers).find(({ type }) => type === 'email');
  const email = text(row.email) ?? text(row.Email) ?? text(identifier?.value);
  const isVerified = isTrue(row.email_verified ?? row['Email Verified'] ?? identifier?.verified);
  const name = nameOf(row.name ?? row.Name) ?? nameOf(row.given_name, row.family_name) ?? text(row.nickname);
  return toSourceUser({
    sourceId,
    addresses: address(email, isVerified),
    // Without a name, Auth0 repeats the address.
    displayName: name === email ? null : name,
    image: row.picture ?? row.Picture,
    signedUpAt: row.created_at ?? row['Created At'],
    clientMetadata: row.user_metadata,
    serverMetadata: row.app_metadata,
    passwordHash: row.passwordHash,
    accounts: identitiesOf(row, sourceId),
    isBlocked: row.blocked,
    lost: [
      ...lostIf(text(row.phone_number), 'phone_number'),
      ...lostIf(text(row.username), 'username'),
      ...lostIf(Array.isArray(row.multifactor) && row.multifactor.length > 0, 'mfa_factor'),
    ],
  });
};

function idOfHash({ _id: id, alt_id: other }: Values): string | null {
  const own = text(other) ?? text(isRecord(id) ? id.$oid : id);
  return own === null ? null : `auth0|${own}`;
}

/** Exports have identities only if asked for. The ID names the first one. */
function identitiesOf(row: Values, sourceId: string) {
  const identities = records(row.identities);
  const all = identities.length > 0 ? identities : [parseId(sourceId)];
  return all
    .filter(({ provider }) => provider !== 'auth0' && provider !== 'email' && provider !== null)
    .map(({ provider, user_id: id, connection, profileData }) => {
      const name = text(connection) ?? String(provider);
      // Custom social connections have the strategy `oauth2`.
      const strategy = provider === 'oauth2' ? name : String(provider);
      const custom = strategy === 'oidc' ? openIdProviderId(name) : null;
      const known = providers[strategy] ?? (['discord', 'gitlab', 'spotify'].includes(strategy) ? strategy : custom);
      const email = isRecord(profileData) ? profileData.email : row.email;
      return { provider: known, name, accountId: withoutPrefix(id, name), email };
    });
}

/** The ID of a custom connection repeats its name. */
function withoutPrefix(id: unknown, name: string): string | null {
  const found = text(id);
  return found?.startsWith(`${name}|`) ? found.slice(name.length + 1) : found;
}

function parseId(sourceId: string): Values {
  const [provider, ...rest] = sourceId.split('|');
  if (rest.length === 0) return { provider: null };
  const connection = provider === 'oauth2' || provider === 'oidc' ? rest[0] : undefined;
  return { provider, user_id: rest.join('|'), connection };
}
