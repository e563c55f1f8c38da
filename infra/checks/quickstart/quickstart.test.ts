import { execFile } from 'node:child_process';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Browser } from 'playwright-core';
import { build, type PreviewServer, preview } from 'vite';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createApiClient, type Send } from '../../testing/api-client.ts';
import { launchChromium, noChromium } from '../../testing/chromium.ts';
import { createOwnedProject, type OwnedProject } from '../../testing/owned-project.ts';
import { makeDataFolder } from '../../testing/passable-folder.ts';
import { startOnCopy } from '../../testing/prepared-data.ts';
import { internalKeys, type Product } from '../../testing/product.ts';

/*
 * Runs the example app of the README: a project of an owner, the published client library, and a user who signs up. The
 * example is not a workspace, so the test takes the client from the root packages, where it has another name.
 */

const root = fileURLToPath(new URL('../../../', import.meta.url));
const example = join(root, 'examples/react-quickstart');
const client = 'stack-js-2-8-108';

test('the React quick start names the tested client version and type-checks', async () => {
  const { dependencies } = JSON.parse(await readFile(join(example, 'package.json'), 'utf8'));
  const { version } = JSON.parse(await readFile(join(root, 'node_modules', client, 'package.json'), 'utf8'));
  expect(dependencies['@stackframe/js']).toBe(version);
  await promisify(execFile)(join(root, 'node_modules/.bin/tsc'), ['-p', 'infra/checks/quickstart'], { cwd: root });
});

describe.skipIf(noChromium)(`the React quick start${noChromium ? ` (left out: ${noChromium})` : ''}`, () => {
  let folder: string;
  let product: Product;
  let send: Send;
  let app: PreviewServer;
  let browser: Browser;
  let project: OwnedProject;

  beforeAll(async () => {
    folder = await makeDataFolder('gatebook-quickstart-');
    [product, browser] = await Promise.all([startOnCopy(folder), launchChromium()]);
    send = createApiClient(product.url, internalKeys);
    project = await createOwnedProject(send);
    process.env.VITE_GATEBOOK_URL = product.url;
    process.env.VITE_GATEBOOK_PROJECT_ID = project.projectId;
    const outDir = join(folder, 'app');
    const resolve = { alias: { '@stackframe/js': client } };
    await build({ root: example, configFile: false, resolve, logLevel: 'error', build: { outDir } });
    app = await preview({
      root: example,
      configFile: false,
      build: { outDir },
      preview: { port: 0, host: 'localhost' },
    });
  });
  afterAll(async () => {
    await app?.close();
    await browser?.close();
    await product?.stop();
    if (folder) await rm(folder, { recursive: true, force: true });
  });

  test('signs a user up, out and in again in Chromium', async () => {
    const page = await browser.newPage();
    const [url = ''] = app.resolvedUrls?.local ?? [];
    const submit = async (name: string, password: string) => {
      await page.getByLabel('Email').fill('ann@example.com');
      await page.getByLabel('Password').fill(password);
      await page.getByRole('button', { name }).click();
    };
    const signedIn = page.getByText('Signed in as ann@example.com');

    await page.goto(url);
    await submit('Sign up', 'password');
    await page.getByRole('alert').waitFor();
    await submit('Sign up', 'a long passphrase');
    await signedIn.waitFor();
    await page.reload();
    await signedIn.waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('button', { name: 'I have an account' }).click();
    await submit('Sign in', 'a long passphrase');
    await signedIn.waitFor();

    const { body } = await send('GET', '/users', { access: 'server', ...project });
    expect(body.items).toMatchObject([{ primary_email: 'ann@example.com' }]);
  });
});
