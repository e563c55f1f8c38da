import { readInert } from '@gatebook/contract/csv';
import { userExportColumns } from '@gatebook/contract/import/user-export';
import { accountColumn, toOwnUser } from '../own-user.ts';
import type { Source } from '../source.ts';
import type { Values } from '../values.ts';

const columns = [
  ...['id', 'email', 'email_verified', 'display_name', 'profile_image_url', 'signed_up_at'],
  ...['password_hash', 'totp_secret', 'client_metadata', 'client_read_only_metadata', 'server_metadata', 'blocked'],
];
const known: ReadonlySet<string> = new Set([...columns, ...userExportColumns]);
const isKnown = (column: string) => known.has(column) || accountColumn.test(column);

/**
 * A row with columns that Gatebook documents (docs/migrate/csv.md), or of the dashboard's export. The ID is that of the
 * user, or the address.
 */
export const readCsv: Source = (row) => columnFault(Object.keys(row)) ?? toOwnUser(isExported(row) ? plain(row) : row);

/** Only the export has this column, and makes formulas inert. */
const isExported = (row: Values) => 'sign_in_methods' in row;

const plain = (row: Values): Values =>
  Object.fromEntries(
    Object.entries(row).map(([column, cell]) => [column, typeof cell === 'string' ? readInert(cell) : cell]),
  );

/** Without a known column, the first line of the file is a row: the report must not repeat its addresses and hashes. */
function columnFault(given: readonly string[]): string | null {
  const expected = `expected: ${columns.join(', ')}, <provider>_account_id.`;
  const unknown = given.find((column) => !isKnown(column));
  if (unknown === undefined) return null;
  return given.some(isKnown) ? `Unknown column "${unknown}"; ${expected}` : `None of the columns is known; ${expected}`;
}
