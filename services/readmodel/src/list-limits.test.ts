import { readdir, readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';

const folder = new URL('./', import.meta.url);
const query = /name: ['`](list-[^'`]*)['`],[\s\S]*?`([\s\S]*?)`,\n/g;

/** Queries with one row per type or category of emails, per level of the configuration, the
 * complete export of a user, a setting of all projects for the worker, and what belongs to given IDs. */
const unlimited = [
  'list-config-overrides',
  'list-disabled-categories',
  'list-edited-template-versions',
  'list-email-templates',
  'list-emails-to-user',
  'list-erased-subjects',
  'list-holdings-at',
  'list-key-uses',
  'list-memberships-at',
  'list-metric-runs',
  'list-names-of-api-keys',
  'list-names-of-project-keys',
  'list-names-of-teams',
  'list-names-of-users',
  'list-names-of-webhook-endpoints',
  'list-pending-webhooks',
  'list-projects-with-custom-metrics',
  'list-projects-with-webhooks',
  'list-rejection-retentions',
  'list-undone-actions',
];

test('every list query has a limit', async () => {
  const files = (await readdir(folder, { recursive: true })).filter((file) => /(?<!\.test)\.ts$/.test(file));
  const texts = await Promise.all(files.map((file) => readFile(new URL(file, folder), 'utf8')));
  const queries = texts.flatMap((text) => [...text.matchAll(query)].map(([, name = '', sql = '']) => ({ name, sql })));
  expect(queries.length).toBeGreaterThan(12);
  const found = queries
    .filter(({ sql }) => !/\blimit (\$\d|\$\{maxListed\})|\$\{page\.end\}/.test(sql))
    .map(({ name }) => name.split('-$')[0]);
  expect(found.sort()).toEqual(unlimited);
});
