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
import { makePassableFolder } from '../../testing/passable-folder.ts';
import { internalKeys, type Product, startProduct } from '../../testing/product.ts';

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
  let projectId: string;
  let secretServerKey: string;

  beforeAll(async () => {
    folder = await makePassableFolder('gatebook-quickstart-');
    [product, browser] = await Promise.all([
      startProduct({ GATEBOOK_DATA_DIR: join(folder, 'data') }),
      launchChromium(),
    ]);
    send = createApiClient(product.url, internalKeys);
    const keySet = await createProject();
    process.env.VITE_GATEBOOK_URL = product.url;
    process.env.VITE_GATEBOOK_PROJECT_ID = projectId;
    process.env.VITE_GATEBOOK_CLIENT_KEY = keySet.publishable_client_key;
    const outDir = join(folder, 'app');
    const configFile = join(example, 'vite.config.ts');
    const resolve = { alias: { '@stackframe/js': client } };
    await build({ root: example, configFile, resolve, logLevel: 'error', build: { outDir } });
    app = await preview({ root: example, configFile, build: { outDir }, preview: { port: 0, host: 'localhost' } });
  });
  afterAll(async () => {
    await app?.close();
    await browser?.close();
    await product?.stop();
    if (folder) await rm(folder, { recursive: true, force: true });
  });

  /** With the settings that every new project has. */
  async function createProject() {
    const { body: owner } = await send('POST', '/users', { access: 'server', body: { display_name: 'Owner' } });
    const { body: session } = await send('POST', '/auth/sessions', { access: 'server', body: { user_id: owner.id } });
    const as = session.access_token;
    const { body: project } = await send('POST', '/internal/projects', { as, body: { display_name: 'Quick start' } });
    projectId = project.id;
    const { body: keySet } = await send('POST', '/internal/api-keys', {
      projectId,
      access: 'admin',
      headers: { 'x-stack-super-secret-admin-key': '', 'x-stack-admin-access-token': as },
      body: {
        description: 'Quick start',
        expires_at_millis: Date.now() + 86_400_000,
        has_publishable_client_key: true,
        has_secret_server_key: true,
        has_super_secret_admin_key: false,
      },
    });
    secretServerKey = keySet.secret_server_key;
    return keySet;
  }

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

    const keys = { ...internalKeys, server: secretServerKey };
    const { body } = await send('GET', '/users', { access: 'server', projectId, keys });
    expect(body.items).toMatchObject([{ primary_email: 'ann@example.com' }]);
  });
});
