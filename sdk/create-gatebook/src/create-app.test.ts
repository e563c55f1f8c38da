import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createApp, type TemplateName, templates } from './index.ts';

const source = fileURLToPath(new URL('../../../examples/', import.meta.url));
const names = Object.keys(templates) as TemplateName[];

let parent: string;
beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), 'create-gatebook-'));
});
afterEach(() => rm(parent, { recursive: true, force: true }));

test.each(names)('the template %s becomes an app with packages of the registry', async (template) => {
  const folder = join(parent, 'My App!');
  await createApp({ folder, template, source, version: '1.2.3' });
  const manifest = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
  expect(manifest.name).toBe('my-app');
  expect(Object.values(manifest.dependencies).filter((range) => String(range).includes('file:'))).toEqual([]);
  expect(Object.entries(manifest.dependencies)).toContainEqual([expect.stringMatching(/^@gatebook\//), '^1.2.3']);
  expect(await readdir(folder)).toEqual(expect.arrayContaining(['.gitignore', 'tsconfig.json']));
  expect(await readdir(folder)).not.toContain('README.md');
});

test('a folder with files is left unchanged', async () => {
  await writeFile(join(parent, 'notes.txt'), '');
  const creation = createApp({ folder: parent, template: 'hono', source, version: '1.2.3' });
  await expect(creation).rejects.toThrow('is not empty');
  expect(await readdir(parent)).toEqual(['notes.txt']);
});
