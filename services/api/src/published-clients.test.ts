import { findFreePort } from '@gatebook/runtime/free-port';
import { generateSync } from 'otplib';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { type ClientLibrary, loadClient, publishedClients } from './testing/published-clients.ts';
import { createProject, newEmail, password, senderOf } from './testing/requests.ts';
import { startSuite } from './testing/suite.ts';

/*
 * The published client library, unmodified, against a listening server: what goes beyond single methods. Each method
 * has a test in infra/checks/compatibility.test.ts.
 */
const quietly = { noRedirect: true, verificationCallbackUrl: 'http://localhost:3000/handler/email-verification' };

const port = await findFreePort();
const baseUrl = `http://localhost:${port}`;
const { api } = await startSuite({ publicUrl: baseUrl, port });
await api.app.listen({ port, host: 'localhost' });
const project = await createProject(senderOf(api));
const versions = await Promise.all(
  publishedClients.map(async (client) => ({ version: client.version, library: await loadClient(client) })),
);
afterEach(() => vi.unstubAllGlobals());

const facts = { baseUrl, tokenStore: 'memory', redirectMethod: 'none' } as const;
const clientAppOf = (library: ClientLibrary) =>
  new library.StackClientApp({
    ...facts,
    projectId: project.projectId,
    publishableClientKey: project.keys.client,
  });

describe.each(versions)('@stackframe/js $version', ({ library }) => {
  async function signedUp() {
    const app = clientAppOf(library);
    const email = newEmail();
    expect(await app.signUpWithCredential({ email, password, ...quietly })).toMatchObject({ status: 'ok' });
    return { app, email, user: await app.getUser({ or: 'throw' }) };
  }

  test('refreshes its access token once it has expired', async () => {
    const { app, user } = await signedUp();
    const before = await user.currentSession.getTokens();
    api.advance(601_000);
    expect(await app.getUser()).toMatchObject({ id: user.id });
    const after = await user.currentSession.getTokens();
    expect(after.accessToken).not.toBe(before.accessToken);
    expect(after.refreshToken).toBe(before.refreshToken);
  });

  test('reports why a common password is rejected and that the maximum is 70 characters', async () => {
    const signUp = (chosen: string) =>
      clientAppOf(library).signUpWithCredential({ email: newEmail(), password: chosen, ...quietly });
    await expect(signUp('password123')).rejects.toThrow('on a list of common and breached passwords');
    const { user } = await signedUp();
    await expect(user.updatePassword({ oldPassword: password, newPassword: 'iloveyou' })).rejects.toThrow('breached');
    expect(await signUp('🗝'.repeat(70))).toMatchObject({ status: 'ok' });
    expect(await signUp('🗝'.repeat(71))).toMatchObject({ error: { errorCode: 'PASSWORD_TOO_LONG' } });
  });

  test('signs out at the server, too', async () => {
    const { app, user } = await signedUp();
    const { refreshToken } = await user.currentSession.getTokens();
    await user.signOut();
    expect(await app.getUser()).toBeNull();
    const form = { grant_type: 'refresh_token', refresh_token: refreshToken ?? '' };
    const client = { client_id: project.projectId, client_secret: project.keys.client };
    const body = new URLSearchParams({ ...form, ...client });
    const answer = await fetch(`${baseUrl}/api/v1/auth/oauth/token`, { method: 'POST', body });
    expect(answer.headers.get('x-stack-known-error')).toBe('REFRESH_TOKEN_NOT_FOUND_OR_EXPIRED');
  });

  /** What `useSvixToken()` renders; these packages are without hooks. */
  type SvixToken = { getOrWait(keys: [], strategy: 'write-only'): Promise<{ data: { token: string; url: string } }> };

  test('check 20: gets a token and the URL of the webhooks page', async () => {
    const keys = { secretServerKey: project.keys.server, superSecretAdminKey: project.keys.admin };
    const { projectId } = project;
    const app = new library.StackAdminApp({ ...facts, ...keys, projectId, publishableClientKey: project.keys.client });
    const { _svixTokenCache: cache } = app as unknown as { _svixTokenCache: SvixToken };
    const { data } = await cache.getOrWait([], 'write-only');
    expect(data.url).toBe(`${baseUrl}/projects/${projectId}/webhooks#token=${data.token}`);
    const headers = { 'x-stack-access-type': 'admin', 'x-stack-project-id': projectId };
    const answer = await fetch(`${baseUrl}/api/v1/webhooks/endpoints`, {
      headers: { ...headers, 'x-stack-admin-access-token': data.token },
    });
    expect(await answer.json()).toEqual({ items: [], is_paginated: false });
  });

  test('signs in with a second factor', async () => {
    const secret = new Uint8Array(Buffer.from('12345678901234567890'));
    const { email, user } = await signedUp();
    await user.update({ totpMultiFactorSecret: secret });
    const app = clientAppOf(library);
    const otp = generateSync({ secret, epoch: Math.floor(Date.parse(api.deps.now()) / 1000) });
    await signInWithSecondFactor(app, { email, password }, otp);
    expect(await app.getUser()).toMatchObject({ id: user.id, isMultiFactorRequired: true });
    await user.update({ totpMultiFactorSecret: null });
    const withoutCode = await clientAppOf(library).signInWithCredential({ email, password, ...quietly });
    expect(withoutCode).toMatchObject({ status: 'ok' });
  });

  test('an owner’s app refreshes its expired token', async () => {
    const app = new library.StackClientApp({
      ...facts,
      projectId: 'internal',
      publishableClientKey: api.keys.client,
    });
    await app.signUpWithCredential({ email: newEmail(), password, ...quietly });
    const owner = await app.getUser({ or: 'throw' });
    const created = await owner.createProject({ displayName: 'Shop', teamId: null as never });
    // The owner's token expires on the server while the library still believes in it: it refreshes and tries again.
    api.advance(601_000);
    expect(await created.app.getProject()).toMatchObject({ id: created.id });
  });
});

type App = ReturnType<typeof clientAppOf>;

/** The oldest client asks by a browser prompt; newer ones keep the attempt code for a separate page. */
async function signInWithSecondFactor(app: App, credentials: { email: string; password: string }, otp: string) {
  if (!('signInWithMfa' in app)) {
    vi.stubGlobal('prompt', () => otp);
    const result = await (app as App).signInWithCredential({ ...credentials, ...quietly });
    return expect(result).toMatchObject({ status: 'ok' });
  }
  const kept = new Map<string, string>();
  vi.stubGlobal('window', { sessionStorage: { setItem: (name: string, value: string) => kept.set(name, value) } });
  // It wants to go to a page, and there is none.
  await expect(app.signInWithCredential({ ...credentials, ...quietly })).rejects.toThrow();
  vi.unstubAllGlobals();
  const [attemptCode = ''] = kept.values();
  expect(await app.signInWithMfa(otp, attemptCode, { noRedirect: true })).toMatchObject({ status: 'ok' });
}
