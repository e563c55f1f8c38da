import type { ImportSource } from '@gatebook/contract/import/sources';
import type { Source } from './source.ts';

/** Loaded when they are used. */
export const sourceLoaders: Readonly<Record<ImportSource, () => Promise<Source>>> = {
  auth0: async () => (await import('./sources/auth0.ts')).readAuth0,
  clerk: async () => (await import('./sources/clerk.ts')).readClerk,
  firebase: async () => (await import('./sources/firebase.ts')).readFirebase,
  supabase: async () => (await import('./sources/supabase.ts')).readSupabase,
  stack: async () => (await import('./sources/stack.ts')).readStack,
  csv: async () => (await import('./sources/csv.ts')).readCsv,
  json: async () => (await import('./sources/json.ts')).readJson,
};
