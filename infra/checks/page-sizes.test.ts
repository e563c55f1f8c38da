import { readFile, stat } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { buildDashboard } from '../testing/build-dashboard.ts';

/**
 * What a page loads in a new browser before it is useful, in kB, compressed. The aim is 200 kB; why signed-in pages
 * exceed it is in docs/decisions/0134.
 */
const limits: Record<string, number> = {
  'audit-log': 228,
  'deleted-projects': 172,
  'deleted-teams': 173,
  'deleted-users': 173,
  'email-template': 199,
  emails: 171,
  events: 221,
  'get-started': 188,
  import: 184,
  members: 210,
  object: 184,
  operations: 174,
  overview: 193,
  permissions: 216,
  'project-invitation': 160,
  'project-keys': 174,
  'project-settings': 213,
  projects: 173,
  rejection: 172,
  setup: 159,
  team: 195,
  teams: 173,
  user: 208,
  users: 188,
  'webhook-delivery': 176,
  'webhook-endpoint': 193,
  webhooks: 171,
};
/** What comes in addition: charts and map once the overview has its figures, German before the first page. */
const lateLimits: Record<string, number> = {
  'src/features/metrics/measure-chart.tsx': 94,
  'src/features/metrics/world-map.tsx': 19,
  'src/languages/de.po': 33,
};
/** A limit that is further above the size hides what is added later. */
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

function expectWithin(size: number, limit: number): void {
  expect(size).toBeLessThanOrEqual(limit);
  expect(size, 'smaller than its limit by far: lower the limit').toBeGreaterThan(limit - SLACK);
}

test('each page of the dashboard has a limit for its size', () => {
  expect(Object.keys(limits).sort()).toEqual(pages.sort());
});

test.for(Object.entries(limits))('the page %s loads at most %i kB in a new browser', async ([page, limit]) => {
  expectWithin(await sizeOf(await filesOfPage(page)), limit);
});

test.for(Object.entries(lateLimits))('%s adds at most %i kB', async ([key, limit]) => {
  const known = await filesOfPage('overview');
  expectWithin(await sizeOf([...filesOf([key])].filter((file) => !known.includes(file))), limit);
});
