import type { ImportSource } from '@gatebook/js/admin';
import { t } from '@lingui/core/macro';

/** `file`: what to export from the other product. */
export const sources: readonly { id: ImportSource; name: string; file: string }[] = [
  {
    id: 'auth0',
    name: 'Auth0',
    file: t`The users as newline-delimited JSON, or the file with password hashes from Auth0’s support.`,
  },
  {
    id: 'clerk',
    name: 'Clerk',
    file: t`The CSV of the dashboard, which has the password hashes, or the users of the API as JSON.`,
  },
  { id: 'firebase', name: t`Firebase Authentication`, file: t`The JSON of firebase auth:export.` },
  { id: 'supabase', name: 'Supabase', file: t`The rows of auth.users as CSV or JSON.` },
  { id: 'stack', name: t`Stack Auth`, file: t`The users of the API as JSON.` },
  {
    id: 'csv',
    name: t`Another product, as CSV`,
    file: t`CSV with the columns id, email, email_verified, display_name, password_hash and others, or the CSV export of this dashboard.`,
  },
  {
    id: 'json',
    name: t`Another product, as JSON`,
    file: t`Objects with the field names of the API, as an array or one per line, or the JSON lines export of this dashboard.`,
  },
];

const reasons: Readonly<Record<string, string>> = {
  malformed: t`The row is not valid JSON or CSV`,
  invalid: t`The row has no ID, or an invalid field`,
  too_large: t`The row is too large for the dashboard`,
  email_in_use: t`Another user signs in with the email address`,
  provider_account_in_use: t`Another user has the provider account`,
  id_in_use: t`The ID is in use`,
  provider_not_configured: t`The provider is not set up in this project`,
  provider_account_unsupported: t`Gatebook does not support the provider`,
  password_unsupported: t`The password hash cannot be checked`,
  password_not_exported: t`The export has no password hash`,
  hash_parameters_missing: t`The parameters of the password hashes are missing`,
  password_method_off: t`Sign-in with a password is off`,
  email_missing: t`A password without an email address`,
  mfa_factor: t`A second factor that is not supported`,
  passkey: t`A passkey`,
  phone_number: t`A phone number`,
  username: t`A username`,
  invalid_field: t`A field that breaks a rule`,
  not_imported: t`Fields that are not imported`,
};
export const textOfReason = (reason: string): string => reasons[reason] ?? reason;
