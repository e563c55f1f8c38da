import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { writtenFiles } from '../docs/tree.ts';
import { dashboardDocImages, handlerDocImages } from './doc-images.ts';

const root = join(import.meta.dirname, '../..');
const anyIds = { projectId: 'p1', emptyProjectId: 'p2', userId: 'u1', teamId: 't1', endpointId: 'e1' };

async function referencedImages(): Promise<Set<string>> {
  const documents = (await writtenFiles(root)).filter((path) => path.endsWith('.md'));
  const texts = await Promise.all(documents.map((path) => readFile(join(root, path), 'utf8')));
  return new Set(
    texts.flatMap((text) => [...text.matchAll(/screenshots\/([\w-]+)\.png/g)].map(([, name = '']) => name)),
  );
}

test('the images that the docs show are those that a command takes, and are there', async () => {
  const taken = [...Object.keys(handlerDocImages), ...Object.keys(dashboardDocImages(anyIds))].sort();
  expect([...(await referencedImages())].sort()).toEqual(taken);
  const files = await readdir(join(root, 'docs/screenshots'));
  expect(files.sort()).toEqual(taken.map((name) => `${name}.png`).sort());
});
