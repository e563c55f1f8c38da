import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findFreePort } from '@gatebook/runtime/free-port';
import { testDeadlineMs } from '@gatebook/runtime/testing/deadlines';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { exportsOf } from '../clients/declarations.ts';
import { unpack } from '../clients/packages.ts';
import { createApiClient } from '../testing/api-client.ts';
import { launchChromium, noChromium } from '../testing/chromium.ts';
import { createOwnedProject } from '../testing/owned-project.ts';
import { makePassableFolder } from '../testing/passable-folder.ts';
import { internalKeys, type Product, startProduct } from '../testing/product.ts';
import { type BuiltPackage, buildPackages } from './build.ts';
import { copyExample, runLines, serveLines } from './example-app.ts';

/* An app that was written for `@stackframe/react`, with `@gatebook/stack-compat` in its place. */

const readme = fileURLToPath(new URL('../../sdk/stack-compat/README.md', import.meta.url));

/** Exports of `@stackframe/react` without a counterpart. The README gives the reasons. */
const gone = ['CurrentInternalServerUser', 'InternalApiKeyBaseCrudRead', 'getPagePrompt'];

let folder: string;
let packages: BuiltPackage[];
let product: Product;
beforeAll(async () => {
  folder = await makePassableFolder('gatebook-compat-');
  [product, packages] = await Promise.all([
    startProduct({ GATEBOOK_DATA_DIR: join(folder, 'data') }),
    buildPackages(join(folder, 'dist/packages')),
  ]);
});
afterAll(async () => {
  await product?.stop();
  if (folder) await rm(folder, { recursive: true, force: true });
});
const tarballOf = (name: string) => packages.find((each) => each.name === name)?.tarball;

test('each export of the published package is here, or in the list of those that are gone', async () => {
  const published = await unpack('@stackframe/react@2.8.108', folder);
  const theirs = await exportsOf(join(published, 'dist/index.d.ts'));
  const ours = new Set(
    await exportsOf(join(folder, 'dist/packages/node_modules/@gatebook/stack-compat/dist/index.d.ts')),
  );
  expect(theirs.length).toBeGreaterThan(120);
  expect(theirs.filter((name) => !ours.has(name)).sort()).toEqual(gone);
  const text = await readFile(readme, 'utf8');
  for (const name of gone) expect(text).toContain(`\`${name}\``);
});

test.skipIf(noChromium)(
  `examples/react-vite works with an alias, without a change of its code${noChromium ? ` (left out: ${noChromium})` : ''}`,
  async () => {
    const { projectId } = await createOwnedProject(createApiClient(product.url, internalKeys));
    const app = await copyExample(folder, 'react-vite');
    const alias = `@stackframe/react@file:${tarballOf('@gatebook/stack-compat')}`;
    const siblings = [tarballOf('@gatebook/js'), tarballOf('@gatebook/react')].join(' ');
    await runLines(app, ['rm package-lock.json', `npm install ${alias} ${siblings}`, 'npm run build']);
    const port = await findFreePort();
    const url = `http://localhost:${port}`;
    const variables = { VITE_GATEBOOK_URL: product.url, VITE_GATEBOOK_PROJECT_ID: projectId };
    const server = await serveLines(app, [`npx vite --port ${port} --strictPort`], url, variables);
    const browser = await launchChromium();
    try {
      const page = await browser.newPage();
      await page.goto(`${url}/protected`);
      await page.getByRole('link', { name: 'Sign up' }).click();
      await page.getByLabel('Email').fill('ann@example.com');
      await page.getByLabel('Password', { exact: true }).fill('a long passphrase');
      await page.getByLabel('Repeat password').fill('a long passphrase');
      await page.getByRole('button', { name: 'Sign up', exact: true }).click();
      await page.getByText('Only signed-in users see this page.').waitFor();
      await page.goto(url);
      await page.getByText('Signed in as ann@example.com').waitFor();
      await page.getByRole('link', { name: 'Account settings' }).click();
      await page.getByRole('heading', { name: 'Account settings' }).waitFor();
      await page.goto(url);
      await page.getByRole('button', { name: 'Sign out' }).click();
      await page.getByText('You are signed out.').waitFor();
    } finally {
      await browser.close();
      await server.stop();
    }
  },
  2 * testDeadlineMs,
);
