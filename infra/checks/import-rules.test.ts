import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { forbiddenImports, rules, typeOnly } from './import-rules.ts';

const root = new URL('../../', import.meta.url);

test('every import is allowed by the rules of its package', async () => {
  expect(
    await forbiddenImports(['services', 'sdk', 'dashboard', 'examples/event-log'], [...rules, ...typeOnly]),
  ).toEqual([]);
});

test.each([
  ['services/domain/src/x.ts', `import { readFileSync } from 'node:fs';\nexport const x = readFileSync;\n`],
  ['services/commands/src/x.ts', `import type { Pool } from 'pg';\nexport type X = Pool;\n`],
  ['sdk/js/src/x.ts', `import { reject } from '@gatebook/domain/errors';\nexport const x = reject;\n`],
  ['sdk/js/src/x.ts', `import type { ReactNode } from 'react';\nexport type X = ReactNode;\n`],
])('a forbidden import in %s is found, even a type-only one', async (file, text) => {
  const folder = await mkdtemp(join(tmpdir(), 'gatebook-imports-'));
  await mkdir(join(folder, dirname(file)), { recursive: true });
  await writeFile(join(folder, file), text);
  const found = await forbiddenImports([file], rules, folder);
  expect(found).toEqual([expect.stringMatching(new RegExp(`^${file} → `))]);
  await rm(folder, { recursive: true });
});

test('import cycles are found, even of types only', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'gatebook-imports-'));
  const src = join(folder, 'services/runtime/src');
  await mkdir(src, { recursive: true });
  await writeFile(join(src, 'a.ts'), `import type { B } from './b.ts';\nexport type A = { b: B };\n`);
  await writeFile(join(src, 'b.ts'), `import type { A } from './a.ts';\nexport type B = { a: A };\n`);
  const found = await forbiddenImports(['services'], rules, folder);
  expect(found.join()).toContain('no circular imports');
  await rm(folder, { recursive: true });
});

test('the domain uses neither clock nor randomness', async () => {
  const folder = new URL('services/domain/src/', root);
  const files = (await readdir(folder, { recursive: true })).filter((file) => file.endsWith('.ts'));
  expect(files.length).toBeGreaterThan(20);
  for (const file of files) {
    const text = await readFile(new URL(file, folder), 'utf8');
    expect.soft(text, file).not.toMatch(/Date\.now|new Date\(\)|Math\.random|performance\.now|randomUUID|process\./);
  }
});
