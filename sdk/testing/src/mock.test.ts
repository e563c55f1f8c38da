import { GatebookClientApp } from '@gatebook/js';
import { GatebookServerApp } from '@gatebook/js/server';
import { http } from 'msw';
import { setupServer } from 'msw/node';
import { describe, expect, test, vi } from 'vitest';
import { type MockOptions, mockGatebook } from './mock.ts';
import { mswHandlers } from './msw.ts';

const open = (options?: MockOptions) => {
  const mock = mockGatebook(options);
  return { mock, app: new GatebookClientApp(mock.options) };
};

describe('a mocked app', () => {
  test('has a user, teams and permissions', async () => {
    const { app, mock } = open({
      user: { displayName: 'Bea' },
      teams: [{ displayName: 'Acme', permissions: ['invoices:read'] }, { displayName: 'Umbrella' }],
      permissions: ['beta'],
    });
    const user = await app.getUser({ or: 'throw' });
    expect(user).toMatchObject({ id: mock.userId, displayName: 'Bea', isAnonymous: false });
    const [acme, umbrella] = await user.listTeams();
    expect([acme?.displayName, umbrella?.displayName]).toEqual(['Acme', 'Umbrella']);
    if (!acme || !umbrella) throw new Error('no teams');
    expect(await user.hasPermission(acme, 'invoices:read')).toBe(true);
    expect(await user.hasPermission(umbrella, 'invoices:read')).toBe(false);
    expect(await user.hasPermission('beta')).toBe(true);
    expect((await acme.listUsers()).map(({ id }) => id)).toEqual([mock.userId]);
  });

  test('can have nobody signed in', async () => {
    const { app, mock } = open({ user: null });
    expect(await app.getUser()).toBeNull();
    await app.getUser({ or: 'redirect' });
    expect(mock.visited).toEqual(['/handler/sign-in?after_auth_return_to=%2F']);
  });

  test('changes what it has', async () => {
    const { app } = open();
    const user = await app.getUser({ or: 'throw' });
    await user.update({ displayName: 'Ann Obi', clientMetadata: { plan: 'pro' } });
    const team = await user.createTeam({ displayName: 'Acme' });
    await team.update({ displayName: 'Acme Shop' });
    expect(await app.getUser()).toMatchObject({
      ...{ displayName: 'Ann Obi', clientMetadata: { plan: 'pro' } },
      selectedTeam: { id: team.id, displayName: 'Acme Shop' },
    });
    await user.leaveTeam(team);
    expect(await user.listTeams()).toEqual([]);
  });

  test('signs users up, out and in by password', async () => {
    const { app } = open({ user: null });
    const credentials = { email: 'cy@example.com', password: 'a long passphrase', noRedirect: true };
    const verificationCallbackUrl = 'http://localhost:3000/verify';
    expect(await app.signUpWithCredential({ ...credentials, verificationCallbackUrl })).toMatchObject({ status: 'ok' });
    expect((await app.getUser())?.primaryEmail).toBe('cy@example.com');
    await app.signOut();
    expect(await app.getUser()).toBeNull();
    const wrong = await app.signInWithCredential({ ...credentials, password: 'another passphrase' });
    expect(wrong).toMatchObject({ status: 'error', error: { code: 'EMAIL_PASSWORD_MISMATCH' } });
    expect(await app.signInWithCredential(credentials)).toMatchObject({ status: 'ok' });
    expect((await app.getUser())?.primaryEmail).toBe('cy@example.com');
  });

  test('signs users in by the code of an email', async () => {
    const { app, mock } = open({ user: null });
    await app.sendMagicLinkEmail('dee@example.com', { callbackUrl: 'http://localhost:3000/link' });
    const [email] = mock.emails;
    expect(email?.link).toBe(`http://localhost:3000/link?code=${email?.code}`);
    await app.signInWithMagicLink(email?.code ?? '', { noRedirect: true });
    expect((await app.getUser())?.primaryEmail).toBe('dee@example.com');
  });

  test('signs users in at a provider', async () => {
    const { app, mock } = open({ user: null, providerEmail: 'eve@example.com' });
    void app.signInWithOAuth('github');
    await vi.waitFor(() => expect(mock.visited[0]).toMatch(/\/handler\/oauth-callback\?code=/));
    expect(await app.callOAuthCallback()).toBe(true);
    expect((await app.getUser())?.primaryEmail).toBe('eve@example.com');
    expect(mock.visited.at(-1)).toBe('/');
  });

  test('signs users up anonymously', async () => {
    const { app } = open({ user: null });
    expect(await app.getUser({ or: 'anonymous' })).toMatchObject({ isAnonymous: true });
  });

  test('answers with what a test wants', async () => {
    const { app, mock } = open();
    mock.reply('GET /teams', { error: 'TEAM_NOT_FOUND', status: 404 });
    const user = await app.getUser({ or: 'throw' });
    await expect(user.listTeams()).rejects.toMatchObject({ code: 'TEAM_NOT_FOUND' });
    mock.reply('GET /teams', null);
    expect(await user.listTeams()).toEqual([]);
    expect(mock.requests.map(({ method, path }) => `${method} ${path}`)).toContain('GET /teams');
  });

  test('answers all other operations with an example of the API description', async () => {
    const { app } = open();
    const [key] = await (await app.getUser({ or: 'throw' })).listApiKeys();
    expect(key).toMatchObject({ description: 'description', isPublic: false });
  });
});

test('a mocked app of a server has all users', async () => {
  const mock = mockGatebook({ users: [{ displayName: 'Bea', primaryEmail: 'bea@example.com' }] });
  const app = new GatebookServerApp({ ...mock.options, tokenStore: null });
  expect((await app.listUsers()).map(({ displayName }) => displayName)).toEqual(['Ann Achebe', 'Bea']);
  const created = await app.createUser({ displayName: 'Cy', primaryEmail: 'cy@example.com' });
  await created.grantPermission('beta');
  expect(await (await app.getUser(created.id))?.hasPermission('beta')).toBe(true);
  const tokens = await (await created.createSession()).getTokens();
  expect(await app.getUser({ tokenStore: tokens })).toMatchObject({ id: created.id });
  await app.createTeam({ displayName: 'Acme' });
  expect(await app.listTeams()).toHaveLength(1);
  await created.delete();
  const headers = { 'x-stack-access-type': 'server', 'x-stack-project-id': mock.options.projectId ?? '' };
  const ofDeleted = new Request(`${mock.options.baseUrl}/api/v1/teams?user_id=${created.id}`, { headers });
  expect(await (await mock.fetch(ofDeleted)).json()).toMatchObject({ items: [] });
});

test('signing out ends one session of the user, as the server does', async () => {
  const mock = mockGatebook();
  const server = new GatebookServerApp({ ...mock.options, tokenStore: null });
  const other = await (await (await server.getUser(mock.userId ?? ''))?.createSession())?.getTokens();
  if (!other) throw new Error('no session');
  const app = new GatebookClientApp(mock.options);
  await app.signOut();
  expect(await app.getUser()).toBeNull();
  expect(await app.getUser({ tokenStore: other })).toMatchObject({ displayName: 'Ann Achebe' });
});

test('handlers of MSW answer apps that use the network', async () => {
  const mock = mockGatebook();
  const server = setupServer(...mswHandlers(http, mock));
  server.listen();
  try {
    const { projectId, tokenStore } = mock.options;
    const app = new GatebookClientApp({
      baseUrl: 'https://gate.test',
      ...(projectId && { projectId }),
      ...(tokenStore && { tokenStore }),
    });
    expect(await app.getUser()).toMatchObject({ displayName: 'Ann Achebe' });
    const [session] = (await (await app.getUser())?.getActiveSessions()) ?? [];
    expect(session?.isImpersonation).toBe(false);
  } finally {
    server.close();
  }
});
