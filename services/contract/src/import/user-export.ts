/** Columns of the dashboard's export of users. The import reads them too. */
export const userExportColumns = [
  ...(['id', 'name', 'email', 'email_verified', 'sign_in_methods', 'two_factor'] as const),
  ...(['signed_up_at', 'last_active_at', 'anonymous', 'restricted', 'restriction_reason', 'country'] as const),
  ...(['client_metadata', 'client_read_only_metadata', 'server_metadata'] as const),
] as const;
export type UserExportColumn = (typeof userExportColumns)[number];
