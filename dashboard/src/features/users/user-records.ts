import { type CsvCell, csvStart, toCsvRow } from '@gatebook/contract/csv';
import type { User, UserExportFormat } from '@gatebook/js/admin';
import { methodsOf } from '../../lib/sign-in-methods.ts';

const columns: readonly { name: string; cellOf: (user: User) => CsvCell }[] = [
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

export const headOf = (format: UserExportFormat): string =>
  format === 'csv' ? csvStart + toCsvRow(columns.map(({ name }) => name)) : '';

export const recordOf = (user: User, format: UserExportFormat): string =>
  format === 'csv' ? toCsvRow(columns.map(({ cellOf }) => cellOf(user))) : `${JSON.stringify(user)}\n`;
