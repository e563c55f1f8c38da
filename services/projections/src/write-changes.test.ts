import { inTransaction } from '@gatebook/runtime/postgres';
import { type TestDatabase, testDatabase } from '@gatebook/runtime/testing/database';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Row, TableChange } from './changes.ts';
import { foldChanges } from './fold-changes.ts';
import { applyOne, changesOfThings, type Rows, things } from './testing/things.ts';
import { writeChanges } from './write-changes.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
  const columns = Object.entries(things.columns).map(([name, { type }]) => `${name} ${type}`);
  await database.pool.query(`create table public.things (${columns.join(', ')}, primary key (id))`);
});
afterAll(() => database.close());

const write = (changes: readonly TableChange[]) =>
  inTransaction(database.pool, (tx) => writeChanges(tx, 'public', foldChanges([things], changes), null));

async function readRows(): Promise<Record<string, Row>> {
  const { rows } = await database.pool.query<Row>('select * from things');
  return Object.fromEntries(
    rows.map((row) => [
      String(row.id),
      { ...row, position: row.position === null ? null : BigInt(String(row.position)) },
    ]),
  );
}

test('writing folded batches gives the same rows as applying each change', async () => {
  const batches = fc.array(fc.array(changesOfThings, { maxLength: 20 }), { maxLength: 3 });
  await fc.assert(
    fc.asyncProperty(batches, async (all) => {
      await database.pool.query('truncate things');
      const rows: Rows = new Map();
      for (const changes of all) {
        for (const change of changes) applyOne(rows, change);
        await write(changes);
      }
      expect(await readRows()).toEqual(Object.fromEntries(rows));
    }),
    { numRuns: 400, seed: 20260115 },
  );
});

test('the error is that of the first failing statement, and nothing of the batch remains', async () => {
  await database.pool.query('truncate things');
  const insert = (id: number, note: string): TableChange => ({ kind: 'insert', table: 'things', row: { id, note } });
  await write([insert(1, 'before')]);
  const tooMany: TableChange = { kind: 'patch', table: 'things', where: { id: 1 }, values: { count: 2 ** 40 } };
  const noText: TableChange = { kind: 'patch', table: 'things', where: { id: 2 }, values: { note: '\u0000' } };
  await expect(write([insert(3, 'after'), tooMany, noText])).rejects.toThrow(/out of range for type integer/);
  expect(Object.values(await readRows()).map(({ note }) => note)).toEqual(['before']);
  // The connection is as good as before.
  await write([insert(3, 'after')]);
  expect(Object.keys(await readRows())).toEqual(['1', '3']);
});
