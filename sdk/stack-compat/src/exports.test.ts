import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import * as published from 'stack-js-2-8-108';
import { expect, test } from 'vitest';
import { exportsOf } from '../../../infra/clients/declarations.ts';
import * as compat from './index.ts';

/** Published exports without a counterpart. The README gives the reasons. */
const gone = ['CurrentInternalServerUser'];

const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url));

test('each export of the published package is here, or in the list of those that are gone', async () => {
  const theirs = await exportsOf(path('../../../node_modules/stack-js-2-8-108/dist/esm/index.d.ts'));
  const ours = new Set(await exportsOf(path('index.ts')));
  expect(theirs.length).toBeGreaterThan(90);
  expect(theirs.filter((name) => !ours.has(name)).sort()).toEqual(gone);
  const readme = await readFile(path('../README.md'), 'utf8');
  for (const name of gone) expect(readme).toContain(`\`${name}\``);
});

test('each value of the published package is one here', () => {
  const values = Object.keys(published).filter((name) => !gone.includes(name));
  expect(Object.keys(compat)).toEqual(expect.arrayContaining(values));
});

test('no page has a prompt for code generators', () => {
  expect(compat.getPagePrompt('sign-in')).toBeNull();
});

test('Convex gets the issuer of access tokens and its keys', () => {
  const [provider] = compat.getConvexProvidersConfig({ baseUrl: 'https://gate.test/', projectId: 'p1' });
  expect(provider?.issuer.href).toBe('https://gate.test/api/v1/projects/p1');
  expect(provider?.jwks.href).toBe('https://gate.test/api/v1/projects/p1/.well-known/jwks.json');
});
