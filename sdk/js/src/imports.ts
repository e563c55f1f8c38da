import type { ImportUsersBody, ImportUsersView } from '@gatebook/contract/imports';
import type { Send } from './transport.ts';

export type ImportSource = 'auth0' | 'clerk' | 'firebase' | 'supabase' | 'stack' | 'csv' | 'json';
/** Parameters of Firebase's password hashes, from its console. */
export type FirebaseHashParameters = { signerKey: string; saltSeparator: string; rounds: number; memCost: number };
export type ImportOptions = {
  source: ImportSource;
  /** Writes nothing. */
  isDryRun: boolean;
  /** Replaces even UUIDs, for a project that is not the only one with these users. */
  hasNewIds: boolean;
  firebaseHash: FirebaseHashParameters | null;
};
/** `line`: where the row begins in the file, from 1. */
export type ImportRow = { line: number; value: unknown };
/** `problems`: why the row was rejected, or what its user was imported without. */
export type ImportedRow = {
  line: number;
  /** ID in the other product. */
  id: string | null;
  outcome: 'created' | 'completed' | 'existing' | 'rejected';
  problems: readonly { reason: string; detail: string | null }[];
};

export type ImportsClient = {
  /** Imports up to 200 rows of an export. @returns what became of each, in order */
  importUsers(rows: readonly ImportRow[], options: ImportOptions): Promise<readonly ImportedRow[]>;
};

export const importsClient = (send: Send): ImportsClient => ({
  importUsers: async (rows, { source, isDryRun, hasNewIds, firebaseHash }) => {
    const body = {
      source,
      rows: rows.map(({ line, value }) => ({ line, value: value as ImportUsersBody['rows'][number]['value'] })),
      is_dry_run: isDryRun,
      new_ids: hasNewIds,
      ...(firebaseHash && {
        firebase_hash: {
          signer_key: firebaseHash.signerKey,
          salt_separator: firebaseHash.saltSeparator,
          rounds: firebaseHash.rounds,
          mem_cost: firebaseHash.memCost,
        },
      }),
    } satisfies ImportUsersBody;
    return (await send<ImportUsersView>('POST', '/internal/imports/users', body)).items;
  },
});
