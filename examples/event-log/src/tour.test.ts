import { testDatabase } from '@gatebook/runtime/testing/database';
import { expect, test } from 'vitest';
import { tour } from './tour.ts';

test('the bank account example prints what its README shows', async () => {
  const database = await testDatabase();
  const lines: string[] = [];
  try {
    await tour(database.url, (line) => lines.push(line));
  } finally {
    await database.close();
  }
  expect(lines).toEqual([
    'after the deposit: $120.00',
    'The balance is too low.',
    'after the withdrawal: $90.00',
    'after somebody edited the table: $10000.00',
    'after the rebuild: $90.00',
    'owner after the erasure: null',
  ]);
});
