import { describe, expect, test } from 'vitest';
import { isSessionAlive } from '../testing/liveness.ts';
import { lastMail } from '../testing/mailbox.ts';
import { callbackUrl, signUp, testProject } from '../testing/people.ts';
import { contextOf, createWorld, expectRejection } from '../testing/world.ts';
import { createUser } from '../user/create-user.ts';
import { deleteUser } from '../user/delete-user.ts';
import { updateUser } from '../user/update-user.ts';
import { signInWithPassword } from './password.ts';
import { resetPassword, sendResetCode } from './password-reset.ts';

const ctx = contextOf('shop');
const { config } = testProject;
const [email, password] = ['Ann@example.com', 'correct horse'];
const off = { ...config, credentialEnabled: false };

async function withAnn() {
  const world = await createWorld();
  const { deps } = world;
  const ann = await signUp(deps, ctx, { email, password });
  const send = (input: object = {}) => sendResetCode(deps, ctx, { email, callbackUrl, project: testProject, ...input });
  const reset = (code: string, input: object = {}) =>
    resetPassword(deps, ctx, { code, password: 'battery staple', project: testProject, ...input });
  const mailed = async () => {
    await send();
    return (await lastMail(world)).code;
  };
  return { ...world, ann, send, reset, mailed };
}

describe('requesting a password reset', () => {
  test('sends the email to the stored address, not to the entered one', async () => {
    const { ann, send, eventsOf } = await withAnn();
    await send({ email: 'ANN@example.COM' });
    expect(await lastMail({ eventsOf })).toMatchObject({
      emailType: 'password_reset',
      recipient: email,
      userId: ann.userId,
      variables: { projectDisplayName: 'Shop' },
    });
  });

  test('does nothing for an address that nobody signs in with', async () => {
    const { deps, send, typesAfter } = await withAnn();
    await createUser(deps, ctx, { project: testProject, primaryEmail: 'bob@example.com', primaryEmailVerified: true });
    const before = await deps.store.head();
    for (const other of ['eve@example.com', 'bob@example.com']) {
      expect(await send({ email: other })).toEqual({ position: null });
    }
    expect(await typesAfter(before)).toEqual([]);
  });

  test('is rejected for known and unknown addresses alike', async () => {
    const { send } = await withAnn();
    for (const address of [email, 'eve@example.com']) {
      const project = { ...testProject, config: off };
      await expectRejection(send({ email: address, project }), 'PASSWORD_AUTHENTICATION_NOT_ENABLED');
      await expectRejection(send({ email: address, callbackUrl: 'https://evil.org' }), 'REDIRECT_URL_NOT_WHITELISTED');
    }
  });
});

describe('a reset', () => {
  test('sets the password and ends every session; the old password is gone', async () => {
    const { deps, ann, reset, mailed } = await withAnn();
    await reset(await mailed());
    expect(await isSessionAlive(deps, ann.sessionId)).toBe(false);
    await expectRejection(signInWithPassword(deps, ctx, { email, password, config }), 'EMAIL_PASSWORD_MISMATCH');
    const signedIn = await signInWithPassword(deps, ctx, { email, password: 'battery staple', config });
    expect(await isSessionAlive(deps, signedIn.sessionId)).toBe(true);
  });

  test('sets a first password for a user without one', async () => {
    const world = await createWorld();
    const { deps } = world;
    await createUser(deps, ctx, { project: testProject, primaryEmail: email, primaryEmailAuthEnabled: true });
    await sendResetCode(deps, ctx, { email, callbackUrl, project: testProject });
    await resetPassword(deps, ctx, { code: (await lastMail(world)).code, password, project: testProject });
    expect((await signInWithPassword(deps, ctx, { email, password, config })).isNewUser).toBe(false);
  });

  test('keeps the code valid when the password is rejected and reports a used code as used', async () => {
    const { reset, mailed } = await withAnn();
    const code = await mailed();
    await expectRejection(reset(code, { password: 'short' }), 'PASSWORD_TOO_SHORT', { min_length: 8 });
    await expectRejection(reset(code, { password: 'x'.repeat(71) }), 'PASSWORD_TOO_LONG', { maxLength: 70 });
    await expectRejection(
      reset(code, { project: { ...testProject, config: off } }),
      'PASSWORD_AUTHENTICATION_NOT_ENABLED',
    );
    await reset(code);
    await expectRejection(reset(code), 'VERIFICATION_CODE_ALREADY_USED');
  });

  test('rejects a code for an address the user no longer has and for a deleted user', async () => {
    const { deps, ann, reset, mailed } = await withAnn();
    const old = await mailed();
    await updateUser(deps, ctx, { userId: ann.userId, project: testProject, primaryEmail: 'new@example.com' });
    await expectRejection(reset(old), 'VERIFICATION_CODE_NOT_FOUND');
    await updateUser(deps, ctx, { userId: ann.userId, project: testProject, primaryEmail: email });
    const last = await mailed();
    await deleteUser(deps, ctx, { userId: ann.userId });
    await expectRejection(reset(last), 'VERIFICATION_CODE_NOT_FOUND');
  });

  test('rejects sign-in codes and verification codes', async () => {
    const { reset, eventsOf } = await withAnn();
    await expectRejection(reset((await lastMail({ eventsOf })).code), 'VERIFICATION_CODE_NOT_FOUND');
  });
});
