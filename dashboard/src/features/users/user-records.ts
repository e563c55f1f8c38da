import type { User } from '@gatebook/js/admin';
import { methodsOf } from '../../lib/sign-in-methods.ts';

export type UserFileFormat = 'csv' | 'jsonl';

/**
 * Spreadsheets run cells that begin with these characters as formulas, also after white space (OWASP, CSV injection).
 * With an apostrophe before them they are text. In many languages, spreadsheets also begin a cell after a semicolon,
 * and a row after a line break, because they don't see the quotes then.
 */
const formula = /(^|[;\r\n])(?=[\s\p{Cc}\p{Cf}]*[=+\-@＝＋－＠])|^(?=[\t\r\n])/gu;

const columns: readonly { name: string; cellOf: (user: User) => string | boolean | null }[] = [
  { name: 'id', cellOf: ({ id }) => id },
  { name: 'name', cellOf: ({ displayName }) => displayName },
  { name: 'email', cellOf: ({ primaryEmail }) => primaryEmail },
  { name: 'email_verified', cellOf: ({ primaryEmailVerified }) => primaryEmailVerified },
  { name: 'sign_in_methods', cellOf: (user) => methodsOf(user).join(', ') },
  { name: 'two_factor', cellOf: ({ isMultiFactorRequired }) => isMultiFactorRequired },
  { name: 'signed_up_at', cellOf: ({ signedUpAt }) => signedUpAt.toISOString() },
  { name: 'last_active_at', cellOf: ({ lastActiveAt }) => lastActiveAt.toISOString() },
  { name: 'anonymous', cellOf: ({ isAnonymous }) => isAnonymous },
  { name: 'restricted', cellOf: ({ restrictedByAdmin }) => restrictedByAdmin },
  { name: 'restriction_reason', cellOf: ({ restrictedByAdminReason }) => restrictedByAdminReason },
  { name: 'country', cellOf: ({ countryCode }) => countryCode },
  { name: 'client_metadata', cellOf: ({ clientMetadata }) => jsonOf(clientMetadata) },
  { name: 'client_read_only_metadata', cellOf: ({ clientReadOnlyMetadata }) => jsonOf(clientReadOnlyMetadata) },
  { name: 'server_metadata', cellOf: ({ serverMetadata }) => jsonOf(serverMetadata) },
];

const jsonOf = (value: unknown): string | null => (value === null ? null : JSON.stringify(value));

function toCell(value: string | boolean | null): string {
  const inert = String(value ?? '').replace(formula, "$1'");
  return /[",\r\n]/.test(inert) ? `"${inert.replaceAll('"', '""')}"` : inert;
}

/** RFC 4180. */
const toRow = (cells: readonly (string | boolean | null)[]): string => `${cells.map(toCell).join(',')}\r\n`;

/** Excel reads UTF-8 only after a byte order mark. */
export const headOf = (format: UserFileFormat): string =>
  format === 'csv' ? `\ufeff${toRow(columns.map(({ name }) => name))}` : '';

export const recordOf = (user: User, format: UserFileFormat): string =>
  format === 'csv' ? toRow(columns.map(({ cellOf }) => cellOf(user))) : `${JSON.stringify(user)}\n`;
