import { type CsvCell, csvStart, toCsvRow } from '@gatebook/contract/csv';
import { type UserExportColumn, userExportColumns } from '@gatebook/contract/import/user-export';
import type { User, UserExportFormat } from '@gatebook/js/admin';
import { methodsOf } from '../../lib/sign-in-methods.ts';

const cells: Readonly<Record<UserExportColumn, (user: User) => CsvCell>> = {
  id: ({ id }) => id,
  name: ({ displayName }) => displayName,
  email: ({ primaryEmail }) => primaryEmail,
  email_verified: ({ primaryEmailVerified }) => primaryEmailVerified,
  sign_in_methods: (user) => methodsOf(user).join(', '),
  two_factor: ({ isMultiFactorRequired }) => isMultiFactorRequired,
  signed_up_at: ({ signedUpAt }) => signedUpAt.toISOString(),
  last_active_at: ({ lastActiveAt }) => lastActiveAt.toISOString(),
  anonymous: ({ isAnonymous }) => isAnonymous,
  restricted: ({ restrictedByAdmin }) => restrictedByAdmin,
  restriction_reason: ({ restrictedByAdminReason }) => restrictedByAdminReason,
  country: ({ countryCode }) => countryCode,
  client_metadata: ({ clientMetadata }) => jsonOf(clientMetadata),
  client_read_only_metadata: ({ clientReadOnlyMetadata }) => jsonOf(clientReadOnlyMetadata),
  server_metadata: ({ serverMetadata }) => jsonOf(serverMetadata),
};

const jsonOf = (value: unknown): string | null => (value === null ? null : JSON.stringify(value));

export const headOf = (format: UserExportFormat): string =>
  format === 'csv' ? csvStart + toCsvRow(userExportColumns) : '';

export const recordOf = (user: User, format: UserExportFormat): string =>
  format === 'csv' ? toCsvRow(userExportColumns.map((column) => cells[column](user))) : `${JSON.stringify(user)}\n`;
