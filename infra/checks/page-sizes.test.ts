import { readFile, stat } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { buildDashboard } from '../testing/build-dashboard.ts';

/** What a page loads in a new browser before it is useful, in kB, compressed; docs/decisions/0134 says what it is. */
const LIMIT_KB = 200;
/** What comes in addition: charts and map once the overview has its figures, German before the first page. */
const lateLimits: Record<string, number> = {
  'src/features/metrics/measure-chart.tsx': 94,
  'src/features/metrics/world-map.tsx': 19,
  'src/languages/de.po': 33,
};
/** A limit of late code that is further above the size hides what is added later. */
const SLACK = 8;

type Chunk = { file: string; imports?: string[]; css?: string[]; isDynamicEntry?: boolean };
const dist = new URL('../../dashboard/dist/', import.meta.url);

await buildDashboard();
const manifest: Record<string, Chunk> = JSON.parse(await readFile(new URL('.vite/manifest.json', dist), 'utf8'));
const pages = Object.entries(manifest)
  .filter(([key, { isDynamicEntry }]) => isDynamicEntry && key.startsWith('src/pages/'))
  .map(([key]) => key.replace(/^src\/pages\/(.*)\.tsx$/, '$1'));

/** The files of chunks and of all that they import. */
function filesOf(keys: readonly string[]): Set<string> {
  const chunks = new Map<string, Chunk>();
  const add = (key: string): void => {
    const chunk = manifest[key];
    if (!chunk) throw new Error(`the build has no ${key}`);
    if (chunks.has(key)) return;
    chunks.set(key, chunk);
    chunk.imports?.forEach(add);
  };
  keys.forEach(add);
  return new Set([...chunks.values()].flatMap(({ file, css = [] }) => [file, ...css]));
}

/** What the server sends, in bytes. */
async function sentBytes(file: string): Promise<number> {
  const sizes = await Promise.all([`${file}.br`, file].map((name) => stat(new URL(name, dist)).catch(() => null)));
  return sizes.find((found) => found !== null)?.size ?? expect.unreachable(`the build has no ${file}`);
}

/** In kB. */
async function sizeOf(files: Iterable<string>): Promise<number> {
  const sizes = await Promise.all([...files].map(sentBytes));
  return sizes.reduce((sum, size) => sum + size, 0) / 1000;
}

/** The document of a page, and all that it names. */
async function filesOfPage(page: string): Promise<string[]> {
  const document = `pages/${page}.html`;
  const html = await readFile(new URL(document, dist), 'utf8');
  const named = [...html.matchAll(/(?:src|href)="\/([^"]+)"/g)].map(([, file = '']) => file);
  return [document, ...new Set(named.filter((file) => file !== 'dashboard/config.json'))];
}

test.for(pages)('the page %s loads at most 200 kB in a new browser', async (page) => {
  expect(await sizeOf(await filesOfPage(page))).toBeLessThanOrEqual(LIMIT_KB);
});

test.for(Object.entries(lateLimits))('%s adds at most %i kB', async ([key, limit]) => {
  const known = await filesOfPage('overview');
  const size = await sizeOf([...filesOf([key])].filter((file) => !known.includes(file)));
  expect(size).toBeLessThanOrEqual(limit);
  expect(size, 'smaller than its limit by far: lower the limit').toBeGreaterThan(limit - SLACK);
});
