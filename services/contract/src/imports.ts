import { z } from 'zod';
import { flag, jsonUpTo, textUpTo } from './common.ts';
import { importSources, maxImportedRowBytes, mostImportedRows } from './import/sources.ts';

const line = z.number().int().min(1).max(Number.MAX_SAFE_INTEGER);
const FirebaseHashBody = z.strictObject({
  signer_key: textUpTo(1_024),
  salt_separator: textUpTo(256),
  rounds: z.number().int().min(1).max(9_999),
  mem_cost: z.number().int().min(1).max(9_999),
});

export const ImportUsersBody = z
  .strictObject({
    source: z.enum(importSources),
    rows: z
      .array(z.strictObject({ line, value: jsonUpTo(maxImportedRowBytes) }))
      .min(1)
      .max(mostImportedRows),
    is_dry_run: flag.optional(),
    /** Replaces even UUIDs, for a project that is not the only one with these users. */
    new_ids: flag.optional(),
    firebase_hash: FirebaseHashBody.optional(),
  })
  .meta({ id: 'ImportUsers', description: 'Rows of the export of another product, as they are in the file.' });
export type ImportUsersBody = z.infer<typeof ImportUsersBody>;

export const ImportUsersView = z
  .object({
    items: z.array(
      z.object({
        line: z.number(),
        id: z.string().nullable(),
        outcome: z.enum(['created', 'completed', 'existing', 'rejected']),
        problems: z.array(z.object({ reason: z.string(), detail: z.string().nullable() })),
      }),
    ),
  })
  .meta({ id: 'ImportedUsers', description: 'What became of each row, in order. Nothing was written in a dry run.' });
export type ImportUsersView = z.infer<typeof ImportUsersView>;
