import { describe, expect, test } from 'vitest';
import { signInWithPassword } from '../password/password.ts';
import { isSessionAlive } from '../testing/liveness.ts';
import { lastMail } from '../testing/mailbox.ts';
import { callbackUrl, signUp, testProject } from '../testing/people.ts';
import { contextOf, createWorld, expectRejection } from '../testing/world.ts';
import { createUser } from '../user/create-user.ts';
import { updateUser } from '../user/update-user.ts';
import { sendSignInCode, signInWithCode } from './sign-in-code.ts';

const ctx = contextOf('shop');
const { config } = testProject;
const email = 'Ann@example.com';
const closed = { ...testProject, config: { ...config, signUpEnabled: false } };
const off = { ...testProject, config: { ...config, magicLinkEnabled: false } };

async function withMail() {
  const world = await createWorld();
  const send = (input: object = {}) =>
    sendSignInCode(world.deps, ctx, { email, callbackUrl, project: testProject, ...input });
  const redeem = (code: string, input: object = {}) =>
    signInWithCode(world.deps, ctx, { code, project: testProject, anonymousUserId: null, ...input });
  return { ...world, send, redeem, mail: () => lastMail(world) };
}

const verified = {
  project: testProject,
  primaryEmail: email,
  primaryEmailVerified: true,
  primaryEmailAuthEnabled: true,
};

describe('requesting a sign-in code', () => {
  test('emails an encrypted link and short code to an unknown address, without the nonce', async () => {
    const { send, mail } = await withMail();
    const { nonce } = await send({ callbackUrl: `${callbackUrl}?after_auth_return_to=%2Fx&code=old#y` });
    const { recipient, variables, code, link, userId } = await mail();
    expect({ recipient, userId }).toEqual({ recipient: email, userId: null });
    expect(variables).toEqual({ projectDisplayName: 'Shop', magicLink: link, otp: code.slice(0, 6).toUpperCase() });
    expect(nonce).toBe(code.slice(6));
    expect(link).toBe(`${callbackUrl}?after_auth_return_to=%2Fx&code=${code}#y`);
  });

  test('sends the email to the stored address of a verified user', async () => {
    const { deps, send, mail } = await withMail();
    const { userId } = await createUser(deps, ctx, verified);
    await send({ email: 'ann@EXAMPLE.com' });
    expect(await mail()).toMatchObject({ recipient: email, userId });
  });

  test('does not turn the method back on; redeeming does', async () => {
    const { deps, send, redeem, mail, eventsOf } = await withMail();
    const { userId } = await createUser(deps, ctx, { ...verified, otpAuthEnabled: true });
    await updateUser(deps, ctx, { userId, project: testProject, otpAuthEnabled: false });
    const changes = async () => (await eventsOf('OtpAuthChanged')).map(({ data }) => data.isEnabled);
    await send();
    expect(await changes()).toEqual([true, false]);
    await redeem((await mail()).code);
    expect(await changes()).toEqual([true, false, true]);
  });

  test('is rejected for a disabled method, an unverified user, closed sign-up and an untrusted link', async () => {
    const { deps, send, typesAfter } = await withMail();
    await expectRejection(send({ project: off }), 'OTP_SIGN_IN_DISABLED');
    await expectRejection(send({ project: closed, callbackUrl: 'https://evil.org' }), 'SIGN_UP_NOT_ENABLED');
    await expectRejection(send({ callbackUrl: 'https://evil.org' }), 'REDIRECT_URL_NOT_WHITELISTED');
    await signUp(deps, ctx, { email: 'bob@example.com', password: 'correct horse' });
    const before = await deps.store.head();
    await expectRejection(send({ email: 'Bob@example.com' }), 'USER_EMAIL_ALREADY_EXISTS', {
      email: 'Bob@example.com',
    });
    expect(await typesAfter(before)).toEqual([]);
  });
});

describe('signing in with the code', () => {
  test('creates a verified user for an unknown address, then signs that user in', async () => {
    const { deps, send, redeem, mail, eventsOf } = await withMail();
    await send();
    const first = await redeem((await mail()).code.toUpperCase());
    expect(first).toMatchObject({
      isNewUser: true,
      user: { hasPassword: false, isOtpEnabled: true, displayName: null },
    });
    expect(first.user.channels).toMatchObject([{ value: email, isPrimary: true, isVerified: true, usedForAuth: true }]);
    expect(await isSessionAlive(deps, first.sessionId)).toBe(true);
    await send({ project: closed });
    const second = await redeem((await mail()).code);
    expect(second).toMatchObject({ userId: first.userId, isNewUser: false });
    expect((await eventsOf('SessionStarted')).map(({ data }) => data.method)).toEqual(['otp', 'otp']);
  });

  test('accepts the six characters with the nonce', async () => {
    const { send, redeem, mail } = await withMail();
    const { nonce } = await send();
    const { variables } = await mail();
    expect((await redeem(`${variables?.otp}${nonce}`)).isNewUser).toBe(true);
  });

  test('works once, for seven days, and 20 wrong guesses end it', async () => {
    const { clock, send, redeem, mail } = await withMail();
    await send();
    const { code } = await mail();
    await redeem(code);
    await expectRejection(redeem(code), 'VERIFICATION_CODE_ALREADY_USED');
    await send();
    const second = (await mail()).code;
    for (let nth = 0; nth < 20; nth += 1) {
      await expectRejection(redeem(`zzzzzz${second.slice(6)}`), 'VERIFICATION_CODE_NOT_FOUND');
    }
    await expectRejection(redeem(second), 'VERIFICATION_CODE_MAX_ATTEMPTS_REACHED');
    await send();
    clock.advance(7 * 24 * 60 * 60_000);
    await expectRejection(redeem((await mail()).code), 'VERIFICATION_CODE_EXPIRED');
  });

  test('keeps the code valid when project settings reject the sign-in', async () => {
    const { send, redeem, mail } = await withMail();
    await send();
    const { code } = await mail();
    await expectRejection(redeem(code, { project: off }), 'OTP_SIGN_IN_DISABLED');
    await expectRejection(redeem(code, { project: closed }), 'SIGN_UP_NOT_ENABLED');
    expect((await redeem(code)).isNewUser).toBe(true);
  });

  test('is rejected when the address is no longer verified', async () => {
    const { deps, send, redeem, mail } = await withMail();
    const { userId } = await createUser(deps, ctx, verified);
    await send();
    await updateUser(deps, ctx, { userId, project: testProject, primaryEmailVerified: false });
    await expectRejection(redeem((await mail()).code), 'USER_EMAIL_ALREADY_EXISTS', { email });
  });

  test('rejects a code of another project', async () => {
    const { deps, send, mail } = await withMail();
    await send();
    const { code } = await mail();
    const elsewhere = signInWithCode(deps, contextOf('bar'), { code, project: testProject, anonymousUserId: null });
    await expectRejection(elsewhere, 'VERIFICATION_CODE_NOT_FOUND');
  });

  test('with two codes for one new address creates one user', async () => {
    const { send, redeem, mail, eventsOf } = await withMail();
    const codes: string[] = [];
    for (let nth = 0; nth < 10; nth += 1) {
      await send();
      codes.push((await mail()).code);
    }
    const signedIn = await Promise.all(codes.map((code) => redeem(code)));
    expect(new Set(signedIn.map(({ userId }) => userId)).size).toBe(1);
    expect(signedIn.filter(({ isNewUser }) => isNewUser)).toHaveLength(1);
    expect(await eventsOf('UserCreated')).toHaveLength(1);
  });

  test('does not change a user with a password', async () => {
    const { deps, send, redeem, mail } = await withMail();
    await createUser(deps, ctx, { ...verified, password: 'correct horse' });
    await send();
    const { userId } = await redeem((await mail()).code);
    expect((await signInWithPassword(deps, ctx, { email, password: 'correct horse', config })).userId).toBe(userId);
  });
});
