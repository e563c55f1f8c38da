import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';

/** First cells of the tables of a section, without their headings. What follows in parentheses is left out. */
function rowsIn(page: string, from: string, to: string): string[] {
  const section = page.slice(page.indexOf(from), page.indexOf(to));
  const tables = section.matchAll(/^\|.*\|\n\| ---.*\n((?:\|.*\n)+)/gm);
  return [...tables].flatMap(([, body = '']) =>
    body
      .trim()
      .split('\n')
      .map((line) => (line.split(' | ')[0] ?? '').replace(/^\| | \(.*$/g, '')),
  );
}

const readDoc = (name: string) => readFile(new URL(`../../docs/${name}`, import.meta.url), 'utf8');

test('each row of the protocol about components has a test, or a reason why there is none', async () => {
  const protocol = rowsIn(await readDoc('protocol/client.md'), '## 14. React part', '## 15. ');
  const page = await readDoc('client-library.md');
  expect(protocol.length).toBeGreaterThan(25);
  expect(rowsIn(`${page}\n## end`, '## React', '## end')).toEqual(protocol);
});
