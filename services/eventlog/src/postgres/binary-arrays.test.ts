import { testDatabase } from '@gatebook/runtime/testing/database';
import { expect, test } from 'vitest';
import { bigintArray, intArray, jsonArray, smallintArray, textArray, uuidArray } from './binary-arrays.ts';

test('Postgres reads the arrays as they were given', async () => {
  const { pool, close } = await testDatabase();
  const texts = ['', null, 'NULL', 'null', '{a,"b"}\\', 'Zoë 🚪', 'x'.repeat(100_000)];
  const uuid = '01999999-abcd-7000-8000-0123456789ab';
  const { rows } = await pool.query(
    `select $1::text[] as texts, $2::json[] as jsons, $3::int[] as ints, $4::smallint[] as smallints,
       $5::bigint[]::text[] as bigints, $6::uuid[]::text[] as uuids, cardinality($7::text[]) as none`,
    [
      textArray(texts),
      jsonArray(['{"a": "\\"ö\\"", "b": [1]}', 'null']),
      intArray([0, -1, 2 ** 31 - 1]),
      smallintArray([1, -32_768]),
      bigintArray([-1n, 0n, 2n ** 63n - 1n]),
      uuidArray([uuid]),
      textArray([]),
    ],
  );
  expect(rows).toEqual([
    {
      texts,
      jsons: [{ a: '"ö"', b: [1] }, null],
      ints: [0, -1, 2 ** 31 - 1],
      smallints: [1, -32_768],
      bigints: ['-1', '0', String(2n ** 63n - 1n)],
      uuids: [uuid],
      none: 0,
    },
  ]);
  await close();
});
