import { expect, test } from 'vitest';
import { readCsvRows } from './csv-rows.ts';
import { readJsonRows } from './json-rows.ts';
import type { Row } from './row.ts';

const keys = ['users', 'items'];

/** Reads a text in chunks of every size, which must all give the same rows. */
async function rowsOf(text: string, read: (chunks: AsyncIterable<string>) => AsyncIterable<Row>): Promise<Row[]> {
  const results = await Promise.all(
    [1, 2, 3, 7, text.length + 1].map(async (size) => {
      async function* chunks() {
        for (let at = 0; at < text.length; at += size) yield text.slice(at, at + size);
      }
      return Array.fromAsync(read(chunks()));
    }),
  );
  for (const rows of results) expect(rows).toEqual(results[0]);
  return results[0] ?? [];
}
const jsonRows = (text: string) => rowsOf(text, (chunks) => readJsonRows(chunks, keys));
const csvRows = (text: string) => rowsOf(text, readCsvRows);
const row = (line: number, value: object) => ({ line, value });
const broken = (line: number) => ({ line, error: expect.any(String) });

test.each([
  ['an object per line', '{"a":1}\n{"a":2}\n', [1, 2]],
  ['an array', '[{"a":1},\n{"a":2}]', [1, 2]],
  ['a list in an object', '{"kind":"x","users":[{"a":1},\n {"a":2}],"next":{"users":[]}}', [1, 2]],
  ['pages one after the other', '{"items":[{"a":1}],"pagination":{"next_cursor":"}]"}}\n{"items":[{"a":2}]}', [1, 2]],
])('reads %s', async (_, text, values) => {
  expect((await jsonRows(text)).map((each) => 'value' in each && each.value)).toEqual(values.map((a) => ({ a })));
});

test('brackets, quotes and lists inside of a row belong to the row', async () => {
  const values = [{ a: '}]{["\\', users: { items: 'x' } }, { a: [{ items: [1] }, '\n'] }];
  expect(await jsonRows(values.map((value) => JSON.stringify(value)).join('\n'))).toEqual([
    row(1, values[0] ?? {}),
    row(2, values[1] ?? {}),
  ]);
});

test('a row over several lines is named by its first line', async () => {
  expect(await jsonRows('[\n{"a":\n1},\n{"a":2}]')).toEqual([row(2, { a: 1 }), row(4, { a: 2 })]);
});

test.each([
  ['a string is not closed', '{"a":1}\n{"a":"x\n{"a":2}\n'],
  ['a bracket is not closed', '{"a":1}\n{"a":2\n{"a":2}\n'],
  ['it is not JSON', '{"a":1}\n{"a":nope}\n{"a":2}\n'],
  ['it is not an object', '{"a":1}\nnope {"x":1}\n{"a":2}\n'],
  ['it is a scalar in an array', '[{"a":1},\n12,\n{"a":2}]'],
  ['it is not JSON in an array', '[{"a":1},\n{"a":nope},\n{"a":2}]'],
])('a row is lost alone if %s', async (_, text) => {
  expect(await jsonRows(text)).toEqual([row(1, { a: 1 }), broken(2), row(3, { a: 2 })]);
});

test('a file that ends inside a row names that row', async () => {
  expect(await jsonRows('[{"a":1},\n{"a":2')).toEqual([row(1, { a: 1 }), broken(2)]);
});

test('CSV has quotes, commas, line breaks and empty lines', async () => {
  const text = 'id,"name, full"\r\n1,"a ""b""\n,c"\r\n\r\n2,\n3,x';
  expect(await csvRows(text)).toEqual([
    row(2, { id: '1', 'name, full': 'a "b"\n,c' }),
    row(5, { id: '2', 'name, full': '' }),
    row(6, { id: '3', 'name, full': 'x' }),
  ]);
});

test.each([
  ['has too many fields', 'id,name\n1,x\n2,x,y\n3,x\n'],
  ['has a quote that is not closed', 'id,name\n1,x\n2,"x\n3,x\n'],
])('a row of CSV is lost alone if it %s', async (_, text) => {
  expect(await csvRows(text)).toEqual([row(2, { id: '1', name: 'x' }), broken(3), row(4, { id: '3', name: 'x' })]);
});
