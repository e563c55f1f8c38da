import { readdir, readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';

const folder = new URL('./', import.meta.url);
const query = /name: ['`](list-[^'`]*)['`],[\s\S]*?`([\s\S]*?)`,\n/g;

/** One row for each type of email, or for each id of a page; an export of a user, which is whole. */
const unlimited = ['list-email-templates', 'list-emails-to-user', 'list-key-uses', 'list-users-by-ids'];

test('no list query reads without a limit', async () => {
  const files = (await readdir(folder, { recursive: true })).filter((file) => /(?<!\.test)\.ts$/.test(file));
  const texts = await Promise.all(files.map((file) => readFile(new URL(file, folder), 'utf8')));
  const queries = texts.flatMap((text) => [...text.matchAll(query)].map(([, name = '', sql = '']) => ({ name, sql })));
  expect(queries.length).toBeGreaterThan(12);
  const found = queries
    .filter(({ sql }) => !/\blimit (\$\d|\$\{maxListed\})/.test(sql))
    .map(({ name }) => name.split('-$')[0]);
  expect(found.sort()).toEqual(unlimited);
});
