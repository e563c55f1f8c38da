import { findFreePort } from '@gatebook/runtime/free-port';
import { generateSync } from 'otplib';
import * as oldest from 'stack-js-2-8-3';
import * as newest from 'stack-js-2-8-108';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { mailTo } from './testing/mailbox.ts';
import { createProject, newEmail, password, senderOf } from './testing/requests.ts';
import { startSuite } from './testing/suite.ts';

/*
 * The ways to sign in, driven by the published client library, unmodified: the oldest and the newest of the 2.8 line,
 * as far as each has the call. Where a mail has to be read, what the API asked the worker to send is.
 */
const versions = [
  { version: '2.8.3', library: oldest },
  { version: '2.8.108', library: newest as unknown as typeof oldest },
];

const page = (name: string) => `http://localhost:3000/handler/${name}`;
const quietly = { noRedirect: true, verificationCallbackUrl: page('email-verification') };
const secret = new Uint8Array(Buffer.from('12345678901234567890'));

const port = await findFreePort();
const baseUrl = `http://localhost:${port}`;
const { api } = await startSuite({ publicUrl: baseUrl, port });
await api.app.listen({ port, host: 'localhost' });
const project = await createProject(senderOf(api), { config: { magic_link_enabled: true } });
afterEach(() => vi.unstubAllGlobals());

const totpNow = () => generateSync({ secret, epoch: Math.floor(Date.now() / 1000) });

describe.each(versions)('@stackframe/js $version', ({ library }) => {
  const clientApp = () =>
    new library.StackClientApp({
      baseUrl,
      projectId: project.projectId,
      publishableClientKey: project.keys.client,
      tokenStore: 'memory',
      redirectMethod: 'none',
    });

  async function signedUp() {
    const app = clientApp();
    const email = newEmail();
    expect(await app.signUpWithCredential({ email, password, ...quietly })).toMatchObject({ status: 'ok' });
    return { app, email, user: await app.getUser({ or: 'throw' }) };
  }

  test('reports why a common password is rejected and that the maximum is 70 characters', async () => {
    const signUp = (chosen: string) =>
      clientApp().signUpWithCredential({ email: newEmail(), password: chosen, ...quietly });
    await expect(signUp('password123')).rejects.toThrow('on a list of common and breached passwords');
    const { user } = await signedUp();
    await expect(user.updatePassword({ oldPassword: password, newPassword: 'iloveyou' })).rejects.toThrow('breached');
    expect(await signUp('🗝'.repeat(70))).toMatchObject({ status: 'ok' });
    expect(await signUp('🗝'.repeat(71))).toMatchObject({ error: { errorCode: 'PASSWORD_TOO_LONG' } });
  });

  test('verifies an address with the sign-up email', async () => {
    const { app, email } = await signedUp();
    const { code } = await mailTo(api, email);
    expect(await app.verifyEmail(code)).toMatchObject({ status: 'ok' });
    expect(await app.getUser()).toMatchObject({ primaryEmailVerified: true });
    expect(await app.verifyEmail(code)).toMatchObject({
      status: 'error',
      error: { errorCode: 'VERIFICATION_CODE_ALREADY_USED' },
    });
  });

  test('resets a password', async () => {
    const { email } = await signedUp();
    const app = clientApp();
    const asked = await app.sendForgotPasswordEmail(email, { callbackUrl: page('password-reset') });
    expect(asked).toMatchObject({ status: 'ok' });
    const { code } = await mailTo(api, email);
    expect(await app.verifyPasswordResetCode(code)).toMatchObject({ status: 'ok' });
    expect(await app.verifyPasswordResetCode('z'.repeat(45))).toMatchObject({
      status: 'error',
      error: { errorCode: 'VERIFICATION_CODE_NOT_FOUND' },
    });
    expect(await app.resetPassword({ code, password: 'another password' })).toMatchObject({ status: 'ok' });
    const signIn = { email, password: 'another password', ...quietly };
    expect(await app.signInWithCredential(signIn)).toMatchObject({ status: 'ok' });
    const unknown = await app.sendForgotPasswordEmail(newEmail(), { callbackUrl: page('password-reset') });
    expect(unknown).toMatchObject({ status: 'ok' });
  });

  test('signs in by magic link and by six-character code with the nonce', async () => {
    const email = newEmail();
    const app = clientApp();
    const sent = await app.sendMagicLinkEmail(email, { callbackUrl: page('magic-link-callback') });
    if (sent.status !== 'ok') return expect.fail('no mail was sent');
    const { code, variables } = await mailTo(api, email);
    expect(await app.signInWithMagicLink(code, { noRedirect: true })).toMatchObject({ status: 'ok' });
    expect(await app.getUser()).toMatchObject({ primaryEmail: email, primaryEmailVerified: true });
    const again = await app.sendMagicLinkEmail(email, { callbackUrl: page('magic-link-callback') });
    if (again.status !== 'ok') return expect.fail('no mail was sent');
    const { variables: next } = await mailTo(api, email);
    expect(next?.otp).not.toBe(variables?.otp);
    const typed = `${next?.otp}${again.data.nonce}`;
    expect(await clientApp().signInWithMagicLink(typed, { noRedirect: true })).toMatchObject({ status: 'ok' });
    expect(await clientApp().signInWithMagicLink(typed, { noRedirect: true })).toMatchObject({
      status: 'error',
      error: { errorCode: 'VERIFICATION_CODE_ALREADY_USED' },
    });
    const elsewhere = await app.sendMagicLinkEmail(email, { callbackUrl: 'https://evil.example.org/x' });
    expect(elsewhere).toMatchObject({ status: 'error', error: { errorCode: 'REDIRECT_URL_NOT_WHITELISTED' } });
  });

  test('signs in with a second factor', async () => {
    const { email, user } = await signedUp();
    await user.update({ totpMultiFactorSecret: secret });
    const app = clientApp();
    await signInWithSecondFactor(app, { email, password }, totpNow());
    expect(await app.getUser()).toMatchObject({ id: user.id, isMultiFactorRequired: true });
    await user.update({ totpMultiFactorSecret: null });
    expect(await clientApp().signInWithCredential({ email, password, ...quietly })).toMatchObject({ status: 'ok' });
  });

  test('signs up anonymously if the project allows it', async () => {
    const allow = { anonymous_sign_up_enabled: true };
    const call = { ...project, access: 'admin' as const, body: allow };
    await senderOf(api)('PATCH', '/internal/projects/current/settings', call);
    const app = clientApp();
    const user = await app.getUser({ or: 'anonymous' as never });
    expect(user).toMatchObject({ displayName: 'Anonymous user' });
    const email = newEmail();
    expect(await app.signUpWithCredential({ email, password, ...quietly })).toMatchObject({ status: 'ok' });
    expect(await app.getUser()).toMatchObject({ id: user?.id, primaryEmail: email });
  });
});

type App = InstanceType<typeof oldest.StackClientApp>;
type NewerApp = App & { signInWithMfa(otp: string, code: string, options: object): Promise<unknown> };

/** The oldest client asks by a browser prompt; newer ones keep the attempt code for a page of their own. */
async function signInWithSecondFactor(app: App, credentials: { email: string; password: string }, otp: string) {
  if (!('signInWithMfa' in app)) {
    vi.stubGlobal('prompt', () => otp);
    const result = await app.signInWithCredential({ ...credentials, ...quietly });
    return expect(result).toMatchObject({ status: 'ok' });
  }
  const kept = new Map<string, string>();
  vi.stubGlobal('window', { sessionStorage: { setItem: (name: string, value: string) => kept.set(name, value) } });
  // It wants to go to a page, and there is none.
  await expect(app.signInWithCredential({ ...credentials, ...quietly })).rejects.toThrow();
  vi.unstubAllGlobals();
  const [attemptCode = ''] = kept.values();
  const finished = await (app as NewerApp).signInWithMfa(otp, attemptCode, { noRedirect: true });
  expect(finished).toMatchObject({ status: 'ok' });
}

test('a command-line tool signs in through the newest client', async () => {
  const { StackClientApp } = newest;
  const app = new StackClientApp({
    baseUrl,
    projectId: project.projectId,
    publishableClientKey: project.keys.client,
    tokenStore: 'memory',
    redirectMethod: 'none',
  });
  const email = newEmail();
  await app.signUpWithCredential({ email, password, ...quietly });
  const user = await app.getUser({ or: 'throw' });
  const { refreshToken } = await user.currentSession.getTokens();
  const approve = (link: string) => {
    const login_code = new URL(link).searchParams.get('login_code');
    const body = { login_code, refresh_token: refreshToken };
    void senderOf(api)('POST', '/auth/cli/complete', { ...project, body });
  };
  const result = await app.promptCliLogin({
    appUrl: 'http://localhost:3000',
    promptLink: approve,
  });
  if (result.status !== 'ok') return expect.fail(String(result.error));
  const tool = new StackClientApp({
    baseUrl,
    projectId: project.projectId,
    publishableClientKey: project.keys.client,
    tokenStore: { refreshToken: result.data, accessToken: '' },
  });
  expect(await tool.getUser()).toMatchObject({ id: user.id });
});
