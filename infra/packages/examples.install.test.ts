import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findFreePort } from '@gatebook/runtime/free-port';
import { testDeadlineMs } from '@gatebook/runtime/testing/deadlines';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createApiClient, type Send } from '../testing/api-client.ts';
import { launchChromium, noChromium } from '../testing/chromium.ts';
import { createOwnedProject, type OwnedProject } from '../testing/owned-project.ts';
import { makePassableFolder } from '../testing/passable-folder.ts';
import { internalKeys, type Product, startProduct } from '../testing/product.ts';
import type { BuiltPackage } from './build.ts';
import { copyPackages } from './copy-packages.ts';
import { copyExample, runLines, serveLines } from './example-app.ts';

/*
 * The examples with the packed packages: installed, type-checked, built, and used by a person who signs up, signs in
 * and makes a call that requires a session.
 */

const installDeadlineMs = 2 * testDeadlineMs;
const root = fileURLToPath(new URL('../../', import.meta.url));
const password = 'a long passphrase';

/** A folder with `examples/` and `dist/packages/`, like a clone after `npm run build:packages`. */
let clone: string;
let packages: BuiltPackage[];
let product: Product;
let send: Send;
let project: OwnedProject;
beforeAll(async () => {
  clone = await makePassableFolder('gatebook-examples-');
  [product, packages] = await Promise.all([
    startProduct({ GATEBOOK_DATA_DIR: join(clone, 'data') }),
    copyPackages(join(clone, 'dist/packages')),
  ]);
  send = createApiClient(product.url, internalKeys);
  project = await createOwnedProject(send);
});
afterAll(async () => {
  await product?.stop();
  if (clone) await rm(clone, { recursive: true, force: true });
});

type Block = { language: string; text: string };

/** The code blocks of a section of the README. */
async function readBlocks(from: string, to: string): Promise<Block[]> {
  const text = await readFile(join(root, 'README.md'), 'utf8');
  const section = text.slice(text.indexOf(from), text.indexOf(to));
  return [...section.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)].map(([, language = '', block = '']) => ({
    language,
    text: block,
  }));
}

type AppUse = { browser: Browser; url: string; email: string; isHomeProtected?: boolean };

/** Signs a person up in an example, changes the name, and signs the person out and in again. */
async function useApp({ browser, url, email, isHomeProtected = false }: AppUse): Promise<void> {
  const page = await browser.newPage();
  const faults: string[] = [];
  page.on('pageerror', ({ message }) => faults.push(message));
  const seesOwnEmail = () => page.getByText(`Signed in as ${email}`).waitFor();
  await page.goto(url);
  await page.getByRole('link', { name: 'Sign up' }).click();
  await page.getByLabel('Email').fill(email);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByLabel('Repeat password').fill(password);
  await page.getByRole('button', { name: 'Sign up', exact: true }).click();
  await seesOwnEmail();
  await page.getByLabel('Name').fill('Ann Achebe');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('heading', { name: 'Hello, Ann Achebe!' }).waitFor();

  await page.getByRole('link', { name: 'Sign out' }).click();
  if (!isHomeProtected) await page.getByRole('link', { name: 'sign in', exact: true }).click();
  await page.getByLabel('Email').fill(email);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await seesOwnEmail();
  await page.close();
  expect(faults).toEqual([]);

  const { body } = await send('GET', `/users?query=${email}`, { access: 'server', ...project });
  expect(body.items).toMatchObject([{ primary_email: email, display_name: 'Ann Achebe' }]);
}

describe('check 25: the quick start of the README', () => {
  const readSteps = () => readBlocks('**3. Sign up in a React app.**', '## Use it in your app');

  test('shows parts of examples/vite-react, word for word', async () => {
    const [, client, app] = await readSteps();
    expect(await readFile(join(root, 'examples/vite-react/src/gatebook.ts'), 'utf8')).toBe(client?.text);
    expect(await readFile(join(root, 'examples/vite-react/src/app.tsx'), 'utf8')).toContain(app?.text);
  });

  describe.skipIf(noChromium)(`in Chromium${noChromium ? ` (left out: ${noChromium})` : ''}`, () => {
    let browser: Browser;
    beforeAll(async () => {
      browser = await launchChromium();
    });
    afterAll(() => browser?.close());

    /** Starts the app with the command of the README, on a free port, and uses it. */
    const useDevServer = async (folder: string, command: string, email: string) => {
      const port = await findFreePort();
      const url = `http://localhost:${port}`;
      const dev = command.replace('…', project.projectId);
      const variables = { VITE_GATEBOOK_URL: product.url };
      const app = await serveLines(folder, [`${dev} -- --port ${port} --strictPort`], url, variables);
      try {
        await useApp({ browser, url, email });
      } finally {
        await app.stop();
      }
    };

    test(
      'leads to an app in which a person signs up, signs out and signs in again, in less than three minutes',
      async () => {
        const startedAt = Date.now();
        const [commands] = await readSteps();
        const [build, ...lines] = (commands?.text.trim() ?? '').split('\n');
        expect(build).toBe('npm run build:packages');
        const folder = await copyExample(clone, 'vite-react');
        const dev = lines.pop() ?? '';
        await runLines(clone, lines);
        await runLines(folder, ['npm run build']);
        await useDevServer(folder, dev, 'ann@example.com');
        expect(Date.now() - startedAt).toBeLessThan(180_000);
      },
      installDeadlineMs,
    );

    test(
      'leads to an app that works with React 18 too',
      async () => {
        const folder = await copyExample(clone, 'vite-react', 'vite-react-18');
        const react18 = ['react@18.3.1', 'react-dom@18.3.1', '@types/react@18.3.31', '@types/react-dom@18'];
        await runLines(folder, [`npm install ${react18.join(' ')}`, 'npm run build']);
        await useDevServer(folder, 'VITE_GATEBOOK_PROJECT_ID=… npm run dev', 'bea@example.com');
      },
      installDeadlineMs,
    );
  });
});

/** Apps with rendering on a server, whose pages are for signed-in users. */
describe.each([
  { name: 'next', start: 'npm start -- --port $PORT', variable: 'NEXT_PUBLIC_GATEBOOK', url: 'API_URL' },
  { name: 'react-router', start: 'npm start', variable: 'VITE_GATEBOOK', url: 'URL' },
])('check 22: the app in examples/$name', ({ name, start, variable, url: urlName }) => {
  let app: Awaited<ReturnType<typeof serveLines>>;
  let url: string;
  beforeAll(async () => {
    const folder = await copyExample(clone, name);
    const port = await findFreePort();
    const variables = {
      [`${variable}_${urlName}`]: product.url,
      [`${variable}_PROJECT_ID`]: project.projectId,
      NEXT_TELEMETRY_DISABLED: '1',
      PORT: String(port),
    };
    await runLines(folder, ['npm install', 'npm run build'], variables);
    url = `http://localhost:${port}`;
    app = await serveLines(folder, [start], url, variables);
  }, installDeadlineMs);
  afterAll(() => app?.stop());

  /** Calls with the cookie of a new session, without an access token. */
  const callsAs = async (email: string) => {
    const { body: session } = await send('POST', '/auth/password/sign-up', { ...project, body: { email, password } });
    const cookie = `stack-refresh-${project.projectId}=${session.refresh_token}`;
    return (path: string) => fetch(`${url}${path}`, { headers: { cookie, accept: 'text/html' } });
  };

  test('check 24: sends the signed-in user in the first HTML', async () => {
    const call = await callsAs(`dee@${name}.example.com`);
    const response = await call('/');
    expect(response.status).toBe(200);
    expect(await response.text()).toContain(`dee@${name}.example.com`);
  });

  test('leads visitors to the sign-in page', async () => {
    const { status, headers } = await fetch(url, { headers: { accept: 'text/html' }, redirect: 'manual' });
    expect(status).toBeGreaterThanOrEqual(302);
    expect(headers.get('location')).toMatch(/\/handler\/sign-in\?after_auth_return_to=%2F$/);
  });

  test.runIf(name === 'next')('check 24: renews the access token once for twenty calls at a time', async () => {
    const call = await callsAs('cy@example.com');
    const responses = await Promise.all(Array.from({ length: 20 }, () => call('/api/me')));
    for (const response of responses) expect(await response.json()).toMatchObject({ email: 'cy@example.com' });
    const tokens = responses.map(({ headers }) =>
      headers.getSetCookie().find((text) => text.startsWith('stack-access=')),
    );
    expect(tokens[0]).toBeDefined();
    expect(new Set(tokens).size).toBe(1);
    expect((await call('/api/me')).status).toBe(200);
    expect((await fetch(`${url}/api/me`)).status).toBe(401);
  });

  test.skipIf(noChromium)(
    `is used by a person who signs up, signs out and signs in again${noChromium ? ` (left out: ${noChromium})` : ''}`,
    async () => {
      const browser = await launchChromium();
      try {
        await useApp({ browser, url, email: `eve@${name}.example.com`, isHomeProtected: true });
      } finally {
        await browser.close();
      }
    },
  );
});

describe('check 22: the API in examples/hono', () => {
  let api: Awaited<ReturnType<typeof serveLines>>;
  let url: string;
  beforeAll(async () => {
    const folder = await copyExample(clone, 'hono');
    await runLines(folder, ['npm install', 'npm run build']);
    const port = await findFreePort();
    url = `http://localhost:${port}`;
    const variables = { PORT: String(port), GATEBOOK_URL: product.url, GATEBOOK_PROJECT_ID: project.projectId };
    api = await serveLines(folder, ['npm start'], url, variables);
  }, installDeadlineMs);
  afterAll(() => api?.stop());

  const callNotes = (token: string, init: RequestInit = {}) =>
    fetch(`${url}/notes`, {
      ...init,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    });

  test('keeps notes of a person who signed up', async () => {
    const { body: session } = await send('POST', '/auth/password/sign-up', {
      ...project,
      body: { email: 'bob@example.com', password },
    });
    const created = await callNotes(session.access_token, {
      method: 'POST',
      body: JSON.stringify({ text: 'Buy milk' }),
    });
    expect(created.status).toBe(201);
    const listed = await callNotes(session.access_token);
    expect(await listed.json()).toEqual({ email: 'bob@example.com', notes: ['Buy milk'] });
  });

  test('rejects others', async () => {
    expect((await callNotes('no-token')).status).toBe(401);
    expect((await fetch(`${url}/notes`)).status).toBe(401);
  });
});

describe('check 22: npm create gatebook', () => {
  /** The packages are not in the registry, so their tarballs are installed in their place. */
  const tarballsFor = (app: { dependencies: Record<string, string> }) =>
    packages.filter(({ name }) => name in app.dependencies).map(({ tarball }) => tarball);

  test.each([
    { template: 'vite-react', version: '' },
    { template: 'react-router', version: '' },
    { template: 'hono', version: '' },
    {
      template: 'next',
      version: ' with Next.js 15',
      // Its type checks need the API of TypeScript 5, and it calls the proxy middleware.
      others: ['next@15.5.6', 'typescript@5.9.3'],
      rename: "sed 's/const proxy/const middleware/' proxy.ts > middleware.ts; rm proxy.ts",
    },
  ])(
    'creates an app from the template $template that builds$version',
    async ({ template, others = [], rename = 'true' }) => {
      const bin = join(clone, 'dist/packages/node_modules/create-gatebook/dist/bin.js');
      await runLines(clone, [`node ${bin} app-${template} --template ${template}`]);
      const folder = join(clone, `app-${template}`);
      const tarballs = tarballsFor(JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')));
      expect(tarballs.length).toBeGreaterThan(0);
      const variables = { NEXT_PUBLIC_GATEBOOK_PROJECT_ID: project.projectId };
      await runLines(folder, [rename, `npm install ${[...tarballs, ...others].join(' ')}`, 'npm run build'], variables);
    },
    installDeadlineMs,
  );

  test('names its templates if one is unknown', async () => {
    const bin = join(clone, 'dist/packages/node_modules/create-gatebook/dist/bin.js');
    await expect(runLines(clone, [`node ${bin} app --template angular`])).rejects.toThrow(
      '--template vite-react|next|react-router|hono',
    );
  });
});
