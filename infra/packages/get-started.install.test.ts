import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findFreePort } from '@gatebook/runtime/free-port';
import { testDeadlineMs } from '@gatebook/runtime/testing/deadlines';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Framework, installLines, type Values } from '../../dashboard/src/features/start/framework.ts';
import { createApiClient, type Send } from '../testing/api-client.ts';
import { launchChromium, noChromium } from '../testing/chromium.ts';
import { frameworkOf, pasteCode } from '../testing/framework-code.ts';
import { createOwnedProject, type OwnedProject } from '../testing/owned-project.ts';
import { makePassableFolder } from '../testing/passable-folder.ts';
import { internalKeys, type Product, startProduct } from '../testing/product.ts';
import { copyPackages } from './copy-packages.ts';
import { runLines, serveLines } from './example-app.ts';

/* The code of Get started for apps with packages: installed, built, and used by a person who signs up. */

const installDeadlineMs = 2 * testDeadlineMs;
const password = 'a long passphrase';

let clone: string;
let product: Product;
let send: Send;
beforeAll(async () => {
  clone = await makePassableFolder('gatebook-get-started-');
  [product] = await Promise.all([
    startProduct({ GATEBOOK_DATA_DIR: join(clone, 'data') }),
    copyPackages(join(clone, 'dist/packages')),
  ]);
  // Stands for `npm run build:packages`, which has been run.
  await writeFile(join(clone, 'package.json'), JSON.stringify({ scripts: { 'build:packages': 'true' } }));
  send = createApiClient(product.url, internalKeys);
});
afterAll(async () => {
  await product?.stop();
  if (clone) await rm(clone, { recursive: true, force: true });
});

/** Does what the page says, up to the command that runs the app. */
async function makeApp(framework: Framework): Promise<{ folder: string; project: OwnedProject }> {
  const project = await createOwnedProject(send);
  const { version } = JSON.parse(await readFile(new URL('../../package.json', import.meta.url), 'utf8'));
  const values: Values = {
    apiUrl: product.url,
    projectId: project.projectId,
    secretServerKey: project.keys.server,
    publishableClientKey: null,
    clone,
    version,
  };
  const folder = await makePassableFolder(`gatebook-${framework.id}-`);
  await runLines(folder, installLines(framework, values), { NEXT_TELEMETRY_DISABLED: '1' });
  const app = join(folder, framework.id === 'express' ? 'my-api' : 'my-app');
  await pasteCode(framework, values, app);
  return { folder: app, project };
}

const usersOf = async (project: OwnedProject) =>
  (await send('GET', '/users', { access: 'server', ...project })).body.items;

describe.skipIf(noChromium)(`the code of Get started${noChromium ? ` (left out: ${noChromium})` : ''}`, () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchChromium();
  });
  afterAll(() => browser?.close());

  /** The ready-made pages ask for the email address first. */
  async function signUp(page: Page, email: string, hasPages: boolean): Promise<void> {
    if (hasPages) await page.getByRole('link', { name: 'Sign up' }).click();
    await page.getByLabel('Email').fill(email);
    await page.getByLabel('Password', { exact: true }).fill(password);
    if (hasPages) await page.getByLabel('Repeat password').fill(password);
    await page.getByRole('button', { name: 'Sign up', exact: true }).click();
    await page.getByText(`Signed in as ${email}`).waitFor();
  }

  test.each([
    { id: 'react', hasPages: true },
    { id: 'vue', hasPages: false },
    { id: 'svelte', hasPages: false },
    { id: 'javascript', hasPages: false },
    { id: 'next', hasPages: true },
  ])(
    'makes an app with $id that builds and signs up a user',
    async ({ id, hasPages }) => {
      const framework = frameworkOf(id);
      const { folder, project } = await makeApp(framework);
      await runLines(folder, ['npm run build'], { NEXT_TELEMETRY_DISABLED: '1' });
      const port = await findFreePort();
      const url = `http://localhost:${port}`;
      const app = await serveLines(folder, [`${framework.run.join('\n')} -- --port ${port}`], url);
      const page = await browser.newPage();
      try {
        await page.goto(url);
        await signUp(page, 'ann@mail.example', hasPages);
      } finally {
        await page.close();
        await app.stop();
        await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 300 });
      }
      expect(await usersOf(project)).toMatchObject([{ primary_email: 'ann@mail.example' }]);
    },
    installDeadlineMs,
  );
});

test(
  'the code of Express signs up a user whose token the server accepts',
  async () => {
    const framework = frameworkOf('express');
    const { folder, project } = await makeApp(framework);
    const port = await findFreePort();
    const variables = { PORT: String(port) };
    const [serve = '', use = ''] = framework.run;
    const server = await serveLines(folder, [serve.replace(/ &$/, '')], `http://localhost:${port}`, variables);
    try {
      await runLines(folder, [`${use} | grep ann@mail.example`], variables);
    } finally {
      await server.stop();
      await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 300 });
    }
    expect(await usersOf(project)).toMatchObject([{ primary_email: 'ann@mail.example' }]);
  },
  installDeadlineMs,
);
