import { readdir, readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';

const folder = new URL('../../docs/decisions/', import.meta.url);
const read = (name: string) => readFile(new URL(name, folder), 'utf8');
const records = (await readdir(folder)).filter((name) => name !== 'README.md').toSorted();
const number = (name: string) => Number(name.slice(0, 4));

test.each(records)('the decision record %s has number, title, status, date and three sections', async (name) => {
  expect(name).toMatch(/^\d{4}-[a-z0-9-]+\.md$/);
  const lines = (await read(name)).split('\n');
  expect(lines[0]).toMatch(new RegExp(`^# ${number(name)}\\. [A-Z].*[^.]$`));
  expect(lines[2]).toMatch(/^Status: (accepted|superseded by \d+) · Date: \d{4}-\d\d-\d\d$/);
  expect(lines.filter((line) => line.startsWith('#')).slice(1)).toEqual([
    '## Context',
    '## Decision',
    '## Consequences',
  ]);
});

test('decision numbers are unique', () => {
  expect(new Set(records.map(number)).size).toBe(records.length);
});

test('the index of decisions lists every record with its title, in order', async () => {
  const titles = await Promise.all(
    records.map(
      async (name) => `| ${number(name)} | [${(await read(name)).split('\n')[0]?.replace(/^# \d+\. /, '')}](${name}) |`,
    ),
  );
  const listed = (await read('README.md')).split('\n').filter((line) => /^\| \d/.test(line));
  expect(listed.map((line) => line.split(' | ').slice(0, 2).join(' | ')).map((line) => `${line} |`)).toEqual(titles);
});
