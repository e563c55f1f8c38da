import { address, type FoundAccount, type Source, toSourceUser } from '../source.ts';
import { text, type Values } from '../values.ts';

const columns = [
  ...['id', 'email', 'email_verified', 'display_name', 'profile_image_url', 'signed_up_at'],
  ...['password_hash', 'totp_secret', 'client_metadata', 'client_read_only_metadata', 'server_metadata', 'blocked'],
];
const accountColumn = /^([a-z0-9-]{1,63})_account_id$/;
const isKnown = (column: string) => columns.includes(column) || accountColumn.test(column);

/** A row with columns that Gatebook documents (docs/migrate/csv.md). The ID is that of the user, or the address. */
export const readCsv: Source = (row) => {
  const fault = columnFault(Object.keys(row));
  if (fault !== null) return fault;
  const sourceId = text(row.id) ?? text(row.email)?.toLowerCase() ?? null;
  if (sourceId === null) return 'The row has neither id nor email.';
  return toSourceUser({
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
    isBlocked: row.blocked,
    lost: [],
  });
};

/** Without a known column, the first line of the file is a row: the report must not repeat its addresses and hashes. */
function columnFault(given: readonly string[]): string | null {
  const expected = `expected: ${columns.join(', ')}, <provider>_account_id.`;
  const unknown = given.find((column) => !isKnown(column));
  if (unknown === undefined) return null;
  return given.some(isKnown) ? `Unknown column "${unknown}"; ${expected}` : `None of the columns is known; ${expected}`;
}

const accountsOf = (row: Values): readonly FoundAccount[] =>
  Object.entries(row).flatMap(([column, accountId]) => {
    const provider = accountColumn.exec(column)?.[1];
    return provider === undefined || text(accountId) === null
      ? []
      : [{ provider, name: provider, accountId, email: row.email }];
  });
