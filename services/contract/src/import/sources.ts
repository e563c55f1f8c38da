/** Products whose exports can be imported. */
export const importSources = ['auth0', 'clerk', 'firebase', 'supabase', 'stack', 'csv', 'json'] as const;
export type ImportSource = (typeof importSources)[number];

/** Rows in one request. */
export const mostImportedRows = 200;
/** The limit for one row, as JSON. Larger rows need the command line. */
export const maxImportedRowBytes = 65_536;
