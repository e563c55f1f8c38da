import { existsSync } from 'node:fs';
import { chmod, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { GatebookClientApp } from '@gatebook/js';
import { test as base, describe, expect, vi } from 'vitest';
import { gatebookFixture } from './fixture.ts';
import { type Gatebook, startGatebook } from './start-gatebook.ts';

const test = base.extend<{ gatebook: Gatebook }>({
  gatebook: gatebookFixture({
    project: { config: { magicLinkEnabled: true, oauthProviders: [{ id: 'github', type: 'shared' }] } },
  }),
});

describe('a started server', () => {
  const createApp = (gatebook: Gatebook) =>
    new GatebookClientApp({ baseUrl: gatebook.url, projectId: gatebook.projectId, tokenStore: 'memory' });

  test('creates users who are signed in, with teams', async ({ gatebook }) => {
    const [ann, bea] = [
      await gatebook.createUser({ displayName: 'Ann', teams: ['Acme'] }),
      await gatebook.createUser(),
    ];
    const user = await ann.app.getUser({ or: 'throw' });
    expect(user).toMatchObject({ id: ann.id, displayName: 'Ann', primaryEmail: ann.email });
    expect((await user.listTeams()).map(({ displayName }) => displayName)).toEqual(['Acme']);
    expect((await bea.app.getUser())?.primaryEmail).not.toBe(ann.email);
    const credentials = { email: ann.email, password: ann.password, noRedirect: true };
    expect(await createApp(gatebook).signInWithCredential(credentials)).toMatchObject({ status: 'ok' });
  });

  test('shows the code of an email', async ({ gatebook }) => {
    const app = createApp(gatebook);
    const callbackUrl = 'http://localhost:3000/handler/magic-link-callback';
    const sent = await app.sendMagicLinkEmail('cy@example.com', { callbackUrl });
    if (sent.status === 'error') throw sent.error;
    const { code, link } = await gatebook.emails.next('cy@example.com');
    expect(link).toContain(`${callbackUrl}?code=`);
    expect(await app.signInWithMagicLink(`${code}${sent.data.nonce}`, { noRedirect: true })).toMatchObject({
      status: 'ok',
    });
    expect((await app.getUser())?.primaryEmail).toBe('cy@example.com');
  });

  test('says that no email arrived', async ({ gatebook }) => {
    await expect(gatebook.emails.next('nobody@example.com', { timeoutMs: 60 })).rejects.toThrow('nobody@example.com');
  });

  test('has a provider without a network', async ({ gatebook }) => {
    const { config } = await createApp(gatebook).getProject();
    expect(config.oauthProviders).toEqual([{ id: 'github' }]);
    const response = await fetch(
      `${gatebook.url}/api/v1/auth/oauth/authorize/github?${new URLSearchParams({
        ...{ client_id: gatebook.projectId, client_secret: gatebook.keys.publishableClientKey, type: 'authenticate' },
        ...{ redirect_uri: 'http://localhost:3000/handler/oauth-callback', response_type: 'code', state: 's' },
        ...{ scope: 'legacy', grant_type: 'authorization_code', code_challenge: 'x'.repeat(43) },
        ...{ code_challenge_method: 'S256', error_redirect_url: 'http://localhost:3000/handler/error' },
      })}`,
      { redirect: 'manual' },
    );
    expect(response.headers.get('location')).toMatch(/^http:\/\/127\.0\.0\.1:/);
  });

  test('gives access to everything, by its keys', async ({ gatebook }) => {
    expect(await gatebook.server.listUsers()).not.toEqual([]);
    expect((await gatebook.admin.getProject()).displayName).toBe('Test');
    expect(gatebook.environment.GATEBOOK_SECRET_SERVER_KEY).toBe(gatebook.keys.secretServerKey);
  });
});

base('nothing is left after the fixture', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'fixture-'));
  await chmod(folder, 0o711);
  vi.stubEnv('TMPDIR', folder);
  const [fixture, scope] = gatebookFixture();
  let url = '';
  await fixture({}, async (gatebook) => {
    url = gatebook.url;
    expect((await fetch(`${url}/health`)).ok).toBe(true);
    expect((await readdir(folder)).join()).toContain('gatebook-testing-');
  });
  await expect(fetch(`${url}/health`)).rejects.toThrow();
  expect((await readdir(folder)).filter((name) => name.startsWith('gatebook-testing-'))).toEqual([]);
  vi.unstubAllEnvs();
  await rm(folder, { recursive: true });
  expect(scope).toEqual({ scope: 'worker' });
});

describe('a server that cannot start', () => {
  base('is reported with its output', async () => {
    const settings = { GATEBOOK_ACCESS_TOKEN_SECONDS: 'soon' };
    await expect(startGatebook({ settings })).rejects.toThrow('GATEBOOK_ACCESS_TOKEN_SECONDS');
  });

  base('is not looked for in other folders', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'no-clone-'));
    await expect(startGatebook({ server: folder })).rejects.toThrow('is not a clone of Gatebook');
    await rm(folder, { recursive: true });
    expect(existsSync(folder)).toBe(false);
  });

  base('can be any program', async () => {
    const server = { command: [process.execPath, '-e', 'throw new Error("no such image")'] as const };
    await expect(startGatebook({ server })).rejects.toThrow('no such image');
  });

  base('is reported when something kills it', async () => {
    const server = { command: [process.execPath, '-e', 'process.kill(process.pid, "SIGKILL")'] as const };
    await expect(startGatebook({ server })).rejects.toThrow('ended with SIGKILL');
  });
});
