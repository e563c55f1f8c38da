import { test } from 'vitest';
import { eraseAndSearch } from './erasure/erase-and-search.ts';

test('after the erasure of a user no trace is found in database, data folder, Postgres queue and logs', () =>
  eraseAndSearch({}, null));
