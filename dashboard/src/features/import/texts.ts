import type { ImportSource } from '@gatebook/js/admin';

/** `file`: what to export from the other product. */
export const sources: readonly { id: ImportSource; name: string; file: string }[] = [
  {
    id: 'auth0',
    name: 'Auth0',
    file: 'The users as newline-delimited JSON, or the file with password hashes from Auth0’s support.',
  },
  {
    id: 'clerk',
    name: 'Clerk',
    file: 'The CSV of the dashboard, which has the password hashes, or the users of the API as JSON.',
  },
  { id: 'firebase', name: 'Firebase Authentication', file: 'The JSON of firebase auth:export.' },
  { id: 'supabase', name: 'Supabase', file: 'The rows of auth.users as CSV or JSON.' },
  { id: 'stack', name: 'Stack Auth', file: 'The users of the API as JSON.' },
  {
    id: 'csv',
    name: 'Another product, as CSV',
    file: 'CSV with the columns id, email, email_verified, display_name, password_hash and others.',
  },
];

const reasons: Readonly<Record<string, string>> = {
  malformed: 'The row is not valid JSON or CSV',
  invalid: 'The row has no ID, or an invalid field',
  too_large: 'The row is too large for the dashboard',
  email_in_use: 'Another user signs in with the email address',
  provider_account_in_use: 'Another user has the provider account',
  id_in_use: 'The ID is in use',
  provider_not_configured: 'The project does not have the provider',
  provider_account_unsupported: 'Gatebook does not have the provider',
  password_unsupported: 'The password hash cannot be checked',
  password_not_exported: 'The export has no password hash',
  hash_parameters_missing: 'The parameters of the password hashes are missing',
  password_method_off: 'Sign-in with a password is off',
  email_missing: 'A password without an email address',
  mfa_factor: 'A second factor that is not supported',
  passkey: 'A passkey',
  phone_number: 'A phone number',
  username: 'A username',
  invalid_field: 'A field that breaks a rule',
};
export const textOfReason = (reason: string): string => reasons[reason] ?? reason;
