import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '../..');
const read = (path: string) => readFile(join(root, path), 'utf8');

/** Whether a test of the text is named by the number: `check 7`, `checks 7 and 8`. */
const hasTestOf = (text: string, number: string) => new RegExp(`\\bchecks? (\\d+ and )?${number}\\b`).test(text);

test('the table of checks of the history has each number, and its tests are named by it', async () => {
  const page = await read('docs/history-checks.md');
  const rows = [...page.matchAll(/^\| (\d+|–) \| (.*) \|$/gm)];
  const numbers = rows.map(([, number]) => number).filter((number) => number !== '–');
  expect(numbers).toEqual(Array.from({ length: 25 }, (_, n) => String(n + 1)));
  const faults: string[] = [];
  for (const [, number = '', cells = ''] of rows) {
    const paths = [...cells.matchAll(/\]\(\.\.\/([^)]+\.test\.tsx?)\)/g)].map(([, path = '']) => path);
    if (paths.length === 0 && !cells.includes('npm run bench')) faults.push(`${number} is shown by nothing`);
    for (const path of number === '–' ? [] : paths) {
      if (!hasTestOf(await read(path), number)) faults.push(`${path} has no test of check ${number}`);
    }
  }
  expect(faults).toEqual([]);
});
