import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { startTestApi, type TestApi } from '@gatebook/api/testing/api';
import { createProject, newEmail, type OwnedProject, senderOf } from '@gatebook/api/testing/requests';
import { createOAuthProviders } from '@gatebook/oauth/client';
import { createOpenIdEntry } from '@gatebook/oauth/open-id';
import { type SimulatorProvider, startSimulatorProvider } from '@gatebook/oauth/simulator/provider';
import { systemClock } from '@gatebook/runtime/clock';
import { findFreePort } from '@gatebook/runtime/free-port';
import type { Browser, Page } from 'playwright-core';
import { build } from 'vite';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { launchChromium, noChromium } from '../testing/chromium.ts';

/*
 * The unmodified published client library in a browser, in an app on another origin than Gatebook: everything it does
 * to sign users in through a provider. The provider is the local simulator, both with shared keys and with keys of the
 * project.
 */

const secret = 'secret-of-the-simulator';
const versions = ['2-8-3', '2-8-108'] as const;

let simulator: SimulatorProvider;
let api: TestApi;
let project: OwnedProject;
let browser: Browser;
const apps = new Map<string, { url: string; server: Server }>();

beforeAll(async () => {
  if (noChromium !== null) return;
  const port = await findFreePort();
  const publicUrl = `http://localhost:${port}`;
  simulator = await startSimulatorProvider({ secret, redirectOrigins: [publicUrl] });
  const metadata = await (await fetch(`${simulator.url}/.well-known/openid-configuration`)).json();
  const openId = createOpenIdEntry('github', metadata, false);
  if (!openId) throw new Error('the simulator is no OpenID provider');
  // As the real one: without ID tokens.
  const github = { ...openId, issuer: null, idTokenKeys: null, isSubjectAccountId: false };
  const sharedIssuer = { url: simulator.url, secret };
  const providers = { sharedKeys: {}, sharedIssuer, entries: { github }, now: systemClock };
  const overrides = () => ({ oauthProviders: createOAuthProviders(providers) });
  api = await startTestApi({ publicUrl, port, overrides });
  await api.app.listen({ port, host: 'localhost' });
  const ownKeys = { id: 'github', type: 'standard', client_id: 'github', client_secret: secret };
  project = await createProject(senderOf(api), {
    config: { oauth_providers: [{ id: 'google', type: 'shared' }, ownKeys] },
  });
  const settings = { baseUrl: publicUrl, projectId: project.projectId, publishableClientKey: project.keys.client };
  for (const version of versions) apps.set(version, await serveApp(await bundle(version), settings));
  browser = await launchChromium();
});

afterAll(async () => {
  await browser?.close();
  for (const { server } of apps.values()) server.close();
  await api?.close();
  await simulator?.close();
});

/** Scripts by their paths; the entry is `/app.js`. */
async function bundle(version: string): Promise<ReadonlyMap<string, string>> {
  const built = await build({
    configFile: false,
    logLevel: 'error',
    define: { 'process.env.NODE_ENV': '"production"', 'process.env': '{}' },
    resolve: { alias: { 'stack-js-2-8-3': `stack-js-${version}` } },
    build: {
      write: false,
      minify: false,
      target: 'esnext',
      lib: {
        entry: fileURLToPath(new URL('published-client/page.ts', import.meta.url)),
        formats: ['es'],
        fileName: 'app',
      },
    },
  });
  const outputs = [built].flat().flatMap((result) => ('output' in result ? result.output : []));
  return new Map(outputs.flatMap((part) => (part.type === 'chunk' ? [[`/${part.fileName}`, part.code]] : [])));
}

/** Every path shows the same page, as an app with routes of its own does. */
async function serveApp(
  scripts: ReadonlyMap<string, string>,
  settings: object,
): Promise<{ url: string; server: Server }> {
  const page = `<!doctype html><title>App</title><body></body><script>window.settings = ${JSON.stringify(settings)}</script>
<script type="module" src="/app.js"></script>`;
  const server = createServer((request, response) => {
    const script = scripts.get(request.url ?? '');
    response.setHeader('content-type', script === undefined ? 'text/html' : 'text/javascript');
    response.end(script ?? page);
  });
  await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve));
  return { url: `http://localhost:${(server.address() as AddressInfo).port}`, server };
}

describe.skipIf(noChromium !== null).each(versions)(`@stackframe/js %s in Chromium${noChromium ?? ''}`, (version) => {
  const email = newEmail();
  let page: Page;
  let url: string;
  beforeAll(async () => {
    url = apps.get(version)?.url ?? '';
    page = await (await browser.newContext()).newPage();
  });

  const shows = (text: string, on = page) => on.getByText(text, { exact: true }).waitFor();
  /** Something that ends with the page being left, sometimes before Chromium has answered. */
  const leaving = async <Given>(act: (given: Given) => unknown, given?: Given, on = page) => {
    await on.evaluate(act as (given: unknown) => unknown, given).catch((error: Error) => {
      if (!error.message.includes('navigation')) throw error;
    });
  };
  const startAt = (provider: string, on = page) => leaving((id) => void window.app.signInWithOAuth(id), provider, on);

  async function signInAtSimulator(as: string, on = page): Promise<void> {
    await on.getByLabel('Email').fill(as);
    await on.getByLabel('Name').fill('Ann');
    await on.getByRole('button', { name: 'Sign in' }).click();
  }
  const whoIsIt = () =>
    page.evaluate(async () => {
      const user = await window.app.getUser({ or: 'throw' });
      const { id, displayName, oauthProviders } = user;
      return { id, displayName, providers: oauthProviders.map((provider) => provider.id) };
    });

  test('signs a user up, out and in again', async () => {
    await page.goto(url);
    await shows('signed out');
    await startAt('google');
    await signInAtSimulator(email);
    await shows(`signed in as ${email}`);
    expect(page.url()).toBe(`${url}/`);
    const first = await whoIsIt();
    expect(first).toMatchObject({ displayName: 'Ann', providers: ['google'] });
    await leaving(() => window.app.getUser({ or: 'throw' }).then((user) => user.signOut()));
    await shows('signed out');
    await startAt('google');
    await signInAtSimulator(email);
    await shows(`signed in as ${email}`);
    expect(await whoIsIt()).toEqual(first);
  });

  test('reports that the user denied access', async () => {
    const other = await (await browser.newContext()).newPage();
    await other.goto(url);
    await shows('signed out', other);
    await startAt('google', other);
    await other.getByRole('button', { name: 'Deny' }).click();
    await other.waitForURL(/errorCode=/);
    const { pathname, searchParams } = new URL(other.url());
    expect(pathname).toBe('/handler/error');
    expect(searchParams.get('errorCode')).toBe('OAUTH_PROVIDER_ACCESS_DENIED');
    expect(JSON.parse(searchParams.get('details') ?? '')).toEqual({});
  });

  test('links an account of a provider with its own keys and gets its token', async () => {
    const before = await whoIsIt();
    await leaving(async () => {
      const user = await window.app.getUser({ or: 'throw' });
      void user.getConnectedAccount('github', { or: 'redirect' });
    });
    await signInAtSimulator(newEmail());
    await shows(`signed in as ${email}`);
    expect(await whoIsIt()).toEqual({ ...before, providers: ['google', 'github'] });
    const token = await page.evaluate(async () => {
      const user = await window.app.getUser({ or: 'throw' });
      const account = await user.getConnectedAccount('github');
      return (await account?.getAccessToken())?.accessToken;
    });
    const told = await fetch(`${simulator.url}/me`, { headers: { authorization: `Bearer ${token}` } });
    expect(told.status).toBe(200);
  });

  test('opening a used callback URL again has no effect', async () => {
    const seen: string[] = [];
    page.on('framenavigated', (frame) => seen.push(frame.url()));
    await startAt('google');
    await signInAtSimulator(email);
    await shows(`signed in as ${email}`);
    const callback = seen.find((address) => address.includes('/handler/oauth-callback?')) ?? '';
    expect(callback).toContain('code=');
    await page.goto(callback);
    await shows('the client did not go on');
    expect((await whoIsIt()).displayName).toBe('Ann');
  });
});
