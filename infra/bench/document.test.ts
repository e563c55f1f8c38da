import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { replaceSection, toSection } from './document.ts';
import { sectionsOf } from './parts.ts';

const docs = () => readFile(new URL('../../docs/benchmarks.md', import.meta.url), 'utf8');

test('a run replaces its section and nothing else', () => {
  const text = 'a\n<!-- measured: one -->\nold\n<!-- end -->\nb\n<!-- measured: two -->\nkept\n<!-- end -->\n';
  expect(replaceSection(text, 'one', 'new')).toBe(text.replace('old', 'new'));
  expect(() => replaceSection(text, 'three', 'new')).toThrow('three');
});

test('a section says when, where and with how many users it was measured', () => {
  const setting = { date: '2026-01-15', commit: 'abc1234', machine: '2 cores', users: 100_000 };
  expect(toSection(setting, '| table |', '1 passed, 0 failed')).toBe(
    'Measured on 2026-01-15 at commit abc1234: 2 cores, 100,000 users.\n\n| table |\n\n1 passed, 0 failed.',
  );
});

test('the page has a section for each part', async () => {
  const text = await docs();
  for (const section of sectionsOf().keys()) expect(() => replaceSection(text, section, '')).not.toThrow();
});

test('the page gives the cause of each missed aim', async () => {
  const text = await docs();
  const [, causes = ''] = /\n## Missed aims\n([\s\S]*?)\n## /.exec(text) ?? [];
  const missed = [...text.matchAll(/^\| (.+?) \|.*\| failed \|$/gm)].map(([, name = '']) => name);
  expect(missed.filter((name) => !causes.includes(name.split(',')[0] ?? name))).toEqual([]);
});
