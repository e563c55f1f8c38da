import { inTransaction } from '@gatebook/runtime/postgres';
import { type TestDatabase, testDatabase } from '@gatebook/runtime/testing/database';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Table } from './changes.ts';
import { createIndexes, createTables } from './projection-tables.ts';

const schema = 'counted';
const tables: readonly Table[] = [
  {
    name: 'boxes',
    columns: { id: { type: 'uuid' }, project_id: { type: 'text' } },
    key: ['id'],
    counts: { name: 'fillings', of: 'things', by: 'box_id', where: `r.project_id <> 'hidden'` },
  },
  {
    name: 'things',
    columns: { box_id: { type: 'uuid' }, nth: { type: 'integer' }, project_id: { type: 'text' } },
    key: ['box_id', 'nth'],
  },
];

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
  await inTransaction(database.pool, (tx) => createTables(tx, schema, tables));
  await createIndexes(database.pool, { schema, tables });
});
afterAll(() => database.close());

const box = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;

const statements: readonly [name: string, sql: string, counts: Record<number, number>][] = [
  ['rows before their owners', `insert into things select '${box(1)}', n, 'p' from generate_series(1, 3) n`, {}],
  ['owners', `insert into boxes select id, 'p' from unnest('{${box(1)},${box(2)}}'::uuid[]) id`, { 1: 3, 2: 0 }],
  [
    'rows of several owners, and of none',
    `insert into things select id, n, 'p' from unnest('{${box(1)},${box(2)},${box(3)}}'::uuid[]) id, generate_series(3, 5) n
     on conflict (box_id, nth) do update set project_id = excluded.project_id`,
    { 1: 5, 2: 3 },
  ],
  ['hidden rows', `update things set project_id = 'hidden' where nth = 4`, { 1: 4, 2: 2 }],
  [
    'rows that are shown again',
    `update things set project_id = 'p' where nth = 4 and box_id = '${box(1)}'`,
    { 1: 5, 2: 2 },
  ],
  ['rows of another owner', `update things set box_id = '${box(2)}', nth = nth + 10 where nth = 1`, { 1: 4, 2: 3 }],
  ['deleted rows', 'delete from things where nth >= 4', { 1: 2, 2: 1 }],
  [
    'an owner that is replaced',
    `insert into boxes values ('${box(1)}', 'q') on conflict (id) do update set project_id = 'q'`,
    { 1: 2, 2: 1 },
  ],
  ['a deleted owner', `delete from boxes where id = '${box(2)}'`, { 1: 2 }],
  ['rows without an owner', `delete from things where box_id = '${box(2)}'`, { 1: 2 }],
  ['emptied tables', 'truncate boxes, things cascade', {}],
];

test('counts follow every statement', async () => {
  const client = await database.pool.connect();
  try {
    await client.query(`set search_path = ${schema}`);
    for (const [name, sql, counts] of statements) {
      await client.query(sql);
      const { rows } = await client.query<{ n: number; count: number; project: string; owner: string }>(
        `select right(f.box_id::text, 1)::int as n, f.count, f.project_id as project, b.project_id as owner
         from fillings f join boxes b on b.id = f.box_id order by 1`,
      );
      expect(Object.fromEntries(rows.map(({ n, count }) => [n, count])), name).toEqual(counts);
      expect(
        rows.filter(({ project, owner }) => project !== owner),
        name,
      ).toEqual([]);
    }
  } finally {
    client.release();
  }
});
