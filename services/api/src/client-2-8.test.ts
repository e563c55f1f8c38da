import { createServer } from 'node:net';
import * as oldest from 'stack-js-2-8-3';
import * as newest from 'stack-js-2-8-108';
import { describe, expect, test } from 'vitest';
import { createProject, newEmail, password, senderOf } from './testing/requests.ts';
import { startSuite } from './testing/suite.ts';

/*
 * The published client library, unmodified, against a listening server: the oldest and the newest of the 2.8 line. What
 * both have is written once, in the types of the oldest.
 */
const versions = [
  { version: '2.8.3', library: oldest },
  { version: '2.8.108', library: newest as unknown as typeof oldest },
];

const verificationCallbackUrl = 'http://localhost:3000/handler/email-verification';
/** There is no page to go to. */
const quietly = { noRedirect: true, verificationCallbackUrl };

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === 'object' && address ? address.port : 0;
}

const port = await freePort();
const baseUrl = `http://localhost:${port}`;
const { api } = await startSuite({ publicUrl: baseUrl, port });
await api.app.listen({ port, host: 'localhost' });
const project = await createProject(senderOf(api));

describe.each(versions)('@stackframe/js $version', ({ library }) => {
  const { StackClientApp, StackServerApp, StackAdminApp } = library;
  const clientApp = () =>
    new StackClientApp({
      baseUrl,
      projectId: project.projectId,
      publishableClientKey: project.keys.client,
      tokenStore: 'memory',
    });
  const serverApp = () =>
    new StackServerApp({
      baseUrl,
      projectId: project.projectId,
      publishableClientKey: project.keys.client,
      secretServerKey: project.keys.server,
      tokenStore: 'memory',
    });
  const adminApp = () =>
    new StackAdminApp({
      baseUrl,
      projectId: project.projectId,
      publishableClientKey: project.keys.client,
      secretServerKey: project.keys.server,
      superSecretAdminKey: project.keys.admin,
      tokenStore: 'memory',
    });

  async function signedUp() {
    const app = clientApp();
    const email = newEmail();
    const result = await app.signUpWithCredential({ email, password, ...quietly });
    expect(result).toMatchObject({ status: 'ok' });
    const user = await app.getUser({ or: 'throw' });
    return { app, email, user };
  }

  test('signs up and reads the new user', async () => {
    const { email, user } = await signedUp();
    expect(user).toMatchObject({
      primaryEmail: email,
      displayName: null,
      hasPassword: true,
      isAnonymous: false,
      clientMetadata: null,
    });
    expect(user.signedUpAt.getTime()).toBeGreaterThan(Date.now() - 60_000);
  });

  test('rejects a second sign-up with the same address', async () => {
    const { email } = await signedUp();
    const again = await clientApp().signUpWithCredential({ email, password, ...quietly });
    expect(again).toMatchObject({ status: 'error', error: { errorCode: 'USER_EMAIL_ALREADY_EXISTS' } });
  });

  test('rejects a password that is too short', async () => {
    const result = await clientApp().signUpWithCredential({ email: newEmail(), password: 'short', ...quietly });
    expect(result).toMatchObject({ status: 'error', error: { errorCode: 'PASSWORD_TOO_SHORT' } });
  });

  test('signs in with the right password only', async () => {
    const { email } = await signedUp();
    const app = clientApp();
    const wrong = await app.signInWithCredential({ email, password: 'not this one', ...quietly });
    expect(wrong).toMatchObject({ status: 'error', error: { errorCode: 'EMAIL_PASSWORD_MISMATCH' } });
    expect(await app.getUser()).toBeNull();
    const right = await app.signInWithCredential({ email, password, ...quietly });
    expect(right.status).toBe('ok');
    expect(await app.getUser()).toMatchObject({ primaryEmail: email });
  });

  test('updates display name and metadata', async () => {
    const { app, user } = await signedUp();
    await user.update({ displayName: 'Ann Müller', clientMetadata: { theme: 'dark', list: [1, null] } });
    expect(await app.getUser()).toMatchObject({
      displayName: 'Ann Müller',
      clientMetadata: { theme: 'dark', list: [1, null] },
    });
    await user.setDisplayName('');
    expect(await app.getUser()).toMatchObject({ displayName: null });
  });

  test('refreshes its access token once it has expired', async () => {
    const { app, user } = await signedUp();
    const before = await user.currentSession.getTokens();
    api.advance(601_000);
    expect(await app.getUser()).toMatchObject({ id: user.id });
    const after = await user.currentSession.getTokens();
    expect(after.accessToken).not.toBe(before.accessToken);
    expect(after.refreshToken).toBe(before.refreshToken);
  });

  test('changes the password and stays signed in; other sessions end', async () => {
    const { app, email, user } = await signedUp();
    const other = clientApp();
    await other.signInWithCredential({ email, password, ...quietly });
    expect(await user.updatePassword({ oldPassword: 'not this one', newPassword: 'another password' })).toMatchObject({
      errorCode: 'PASSWORD_CONFIRMATION_MISMATCH',
    });
    expect(await user.updatePassword({ oldPassword: password, newPassword: 'another password' })).toBeUndefined();
    expect(await app.getUser()).toMatchObject({ id: user.id });
    expect(await other.getUser()).toBeNull();
    const withNew = await clientApp().signInWithCredential({ email, password: 'another password', ...quietly });
    expect(withNew.status).toBe('ok');
  });

  test('lists its sessions and revokes another one', async () => {
    const { email, user } = await signedUp();
    const other = clientApp();
    await other.signInWithCredential({ email, password, ...quietly });
    const sessions = await user.getActiveSessions();
    expect(sessions).toHaveLength(2);
    const current = sessions.find(({ isCurrentSession }) => isCurrentSession);
    const another = sessions.find(({ isCurrentSession }) => !isCurrentSession);
    await expect(user.revokeSession(current?.id ?? '')).rejects.toMatchObject({
      errorCode: 'CANNOT_DELETE_CURRENT_SESSION',
    });
    await user.revokeSession(another?.id ?? '');
    expect(await user.getActiveSessions()).toHaveLength(1);
    expect(await other.getUser()).toBeNull();
  });

  test('signs out', async () => {
    const { app, user } = await signedUp();
    const { refreshToken } = await user.currentSession.getTokens();
    await user.signOut({ redirectUrl: '/' }).catch(() => undefined);
    expect(await app.getUser()).toBeNull();
    const answer = await fetch(`${baseUrl}/api/v1/auth/oauth/token`, {
      method: 'POST',
      body: new URLSearchParams({
        grant_type: 'refresh_token',
        refresh_token: refreshToken ?? '',
        client_id: project.projectId,
        client_secret: project.keys.client,
      }),
    });
    expect(answer.headers.get('x-stack-known-error')).toBe('REFRESH_TOKEN_NOT_FOUND_OR_EXPIRED');
  });

  test('reads its project', async () => {
    const found = await clientApp().getProject();
    expect(found).toMatchObject({ id: project.projectId, displayName: 'App', config: { credentialEnabled: true } });
  });

  test('as a server: creates, lists, reads, changes and deletes users', async () => {
    const app = serverApp();
    const email = newEmail();
    const created = await app.createUser({
      primaryEmail: email,
      primaryEmailAuthEnabled: true,
      primaryEmailVerified: true,
      password,
      displayName: 'Made by a server',
      serverMetadata: { plan: 'free' },
    });
    expect(created).toMatchObject({
      primaryEmail: email,
      primaryEmailVerified: true,
      serverMetadata: { plan: 'free' },
    });
    const listed = await app.listUsers({ query: email });
    expect(listed.map(({ id }) => id)).toEqual([created.id]);
    const page = await app.listUsers({ limit: 1, desc: true, orderBy: 'signedUpAt' });
    expect(page.map(({ id }) => id)).toEqual([created.id]);
    expect(page.nextCursor).toEqual(expect.any(String));

    const user = await app.getUser(created.id);
    await user?.update({ displayName: 'Renamed', serverMetadata: { plan: 'paid' } });
    await user?.setPassword({ password: 'a password by the server' });
    expect(await app.getUser(created.id)).toMatchObject({ displayName: 'Renamed', serverMetadata: { plan: 'paid' } });
    const signIn = await clientApp().signInWithCredential({
      email,
      password: 'a password by the server',
      ...quietly,
    });
    expect(signIn.status).toBe('ok');

    await user?.delete();
    expect(await app.getUser(created.id)).toBeNull();
  });

  test('as a server: starts, lists and ends sessions of a user', async () => {
    const app = serverApp();
    const user = await app.createUser({ displayName: 'Guest' });
    const session = await user.createSession({ expiresInMillis: 3_600_000 });
    const tokens = await session.getTokens();
    expect(tokens).toEqual({ accessToken: expect.any(String), refreshToken: expect.stringMatching(/^[0-9a-z]{45}$/) });
    const guest = await clientApp().getUser({
      tokenStore: { accessToken: tokens.accessToken ?? '', refreshToken: tokens.refreshToken ?? '' },
    });
    expect(guest).toMatchObject({ id: user.id, displayName: 'Guest' });
    // Listing a user's sessions as a server is broken inside 2.8.3: it takes the answer for an array.
    const sessions = () => senderOf(api)('GET', `/auth/sessions?user_id=${user.id}`, { ...project, access: 'server' });
    const [listed] = (await sessions()).body.items;
    expect(listed).toMatchObject({ user_id: user.id, is_impersonation: false });
    await user.revokeSession(listed.id);
    expect((await sessions()).body.items).toEqual([]);
  });

  test('as an administrator: reads and changes the project', async () => {
    const app = adminApp();
    const found = await app.getProject();
    await found.update({ displayName: 'App', description: 'changed', config: { clientUserDeletionEnabled: true } });
    const after = await app.getProject();
    expect(after).toMatchObject({
      description: 'changed',
      config: { clientUserDeletionEnabled: true, allowLocalhost: true },
    });
    const { user, app: signedInApp } = await signedUp();
    await user.delete();
    expect(await signedInApp.getUser()).toBeNull();
    await found.update({ config: { clientUserDeletionEnabled: false } });
  });

  test('as an administrator: creates, lists and revokes project keys', async () => {
    const app = adminApp();
    const created = await app.createInternalApiKey({
      description: 'by the library',
      expiresAt: new Date(Date.now() + 3_600_000),
      hasPublishableClientKey: true,
      hasSecretServerKey: true,
      hasSuperSecretAdminKey: false,
    });
    expect(created.publishableClientKey).toMatch(/^pck_[0-9a-z]{45}$/);
    expect(created.superSecretAdminKey).toBeFalsy();
    const listed = (await app.listInternalApiKeys()).find(({ id }) => id === created.id);
    expect(listed?.secretServerKey).toEqual({ lastFour: created.secretServerKey?.slice(-4) });
    expect(listed?.isValid()).toBe(true);
    await listed?.revoke();
    const revoked = (await app.listInternalApiKeys()).find(({ id }) => id === created.id);
    expect(revoked?.whyInvalid()).toBe('manually-revoked');
    await expect(
      new StackServerApp({
        baseUrl,
        projectId: project.projectId,
        publishableClientKey: created.publishableClientKey ?? '',
        secretServerKey: created.secretServerKey ?? '',
        tokenStore: 'memory',
      }).listUsers(),
    ).rejects.toMatchObject({ errorCode: 'INVALID_SECRET_SERVER_KEY' });
  });
});

test('@stackframe/js 2.8.108 works on a new project without a publishable key', async () => {
  const options = { baseUrl, projectId: project.projectId, tokenStore: 'memory' } as const;
  const app = new newest.StackClientApp(options);
  const email = newEmail();
  await app.signUpWithCredential({ email, password, ...quietly });
  expect(await app.getUser()).toMatchObject({ primaryEmail: email });
  // An access token is refreshed without a key too.
  api.advance(601_000);
  expect(await app.getUser()).toMatchObject({ primaryEmail: email });
});

/** The newest library takes no project ids but UUIDs, so `internal` is the oldest's alone. */
describe('@stackframe/js 2.8.3 on project internal', () => {
  test('creates and lists projects and administers one with the owner’s session', async () => {
    const app = new oldest.StackClientApp({
      baseUrl,
      projectId: 'internal',
      publishableClientKey: api.keys.client,
      tokenStore: 'memory',
    });
    await app.signUpWithCredential({ email: newEmail(), password, ...quietly });
    const owner = (await app.getUser({ or: 'throw' })) as oldest.CurrentInternalUser;
    const created = await owner.createProject({ displayName: 'Shop', config: { magicLinkEnabled: true } });
    expect(created).toMatchObject({ displayName: 'Shop', config: { magicLinkEnabled: true, signUpEnabled: true } });
    expect((await owner.listOwnedProjects()).map(({ id }) => id)).toEqual([created.id]);

    const user = await created.app.createUser({ displayName: 'First customer' });
    expect((await created.app.listUsers()).map(({ id }) => id)).toEqual([user.id]);
    const key = await created.app.createInternalApiKey({
      description: 'shop',
      expiresAt: new Date(Date.now() + 3_600_000),
      hasPublishableClientKey: true,
      hasSecretServerKey: false,
      hasSuperSecretAdminKey: false,
    });
    expect(key.publishableClientKey).toMatch(/^pck_/);
    await created.update({ isProductionMode: true });
    expect(await created.app.getProject()).toMatchObject({ isProductionMode: true, userCount: 1 });
    // The owner's token expires on the server while the library still believes in it: it refreshes and tries again.
    api.advance(601_000);
    expect(await created.app.getProject()).toMatchObject({ id: created.id });
  });
});
