import { signInEmails } from '@gatebook/domain/user/sign-in-emails';
import { describe, expect, test } from 'vitest';
import { changeApiKey, createApiKey } from '../api-key/api-key.ts';
import { transact } from '../execute.ts';
import { signInWithPassword, updatePassword } from '../password/password.ts';
import { checkResetCode, resetPassword, sendResetCode } from '../password/password-reset.ts';
import { findSignInUser } from '../reservation/email.ts';
import { findOAuthUser, reserveOAuthAccount } from '../reservation/oauth-account.ts';
import { findPasskeyUser } from '../reservation/passkey.ts';
import { registerPasskey, startPasskeyRegistration } from '../sign-in/passkey.ts';
import { sendSignInCode, signInWithCode } from '../sign-in/sign-in-code.ts';
import { isSessionAlive } from '../testing/liveness.ts';
import { lastMail } from '../testing/mailbox.ts';
import { callbackUrl, signUp, testProject } from '../testing/people.ts';
import { contextOf, crashBefore, createWorld, expectRejection, interruptBefore, to } from '../testing/world.ts';
import { addContactChannel, changeContactChannel } from './contact-channel.ts';
import { findUser, loadUser } from './load-user.ts';
import { updateUser } from './update-user.ts';
import { sendVerificationCode, verifyEmail } from './verification.ts';

// Attacks that set up an account with somebody else's address before they come (docs/decisions/0021).

const ctx = contextOf('shop');
const project = testProject;
const { config } = project;
const email = 'victim@example.com';
const [attackersPassword, victimsPassword] = ['correct horse', 'battery staple'];
const weekMs = 7 * 24 * 60 * 60_000;
const withoutPasswords = { ...project, config: { ...config, credentialEnabled: false } };

async function withAttacker() {
  const world = await createWorld();
  const { deps } = world;
  const reset = async (by = deps) => {
    await sendResetCode(deps, ctx, { email, callbackUrl, project });
    const { code } = await lastMail(world);
    await resetPassword(by, ctx, { code, password: victimsPassword, project });
  };
  const signIn = (password: string, address = email) =>
    signInWithPassword(deps, ctx, { email: address, password, config });
  const askForCode = async (of = withoutPasswords) => {
    await sendSignInCode(deps, ctx, { email, callbackUrl, project: of });
    return (await lastMail(world)).code;
  };
  const plantPasskey = async (userId: string) => {
    const { code } = await startPasskeyRegistration(deps, ctx, { userId, challenge: 'challenge', config });
    const credential = { credentialId: 'c1', publicKey: 'k', counter: 1, transports: [], deviceType: 'singleDevice' };
    await registerPasskey(deps, ctx, { userId, code, credential, config });
  };
  const plantAccount = (userId: string) =>
    transact(deps, ctx, async (work) => {
      const at = deps.now();
      await reserveOAuthAccount(work, { accountRef: 'ref', holderId: userId, at });
      const account = { provider: 'github', accountRef: 'ref', accountId: 'id', email: null, isOnlyOne: true };
      (await loadUser(work, userId)).decide({ type: 'LinkOAuthAccount', id: deps.newId(), ...account, at });
    });
  const plantKey = async (userId: string) => {
    const plain = { description: 'spy', expiresAt: null, isPublic: false };
    return createApiKey(deps, ctx, { ownerType: 'user', ownerId: userId, by: userId, ...plain });
  };
  return { ...world, reset, signIn, askForCode, plantPasskey, plantAccount, plantKey };
}

/** Somebody signed up with the victim's address, and set up all that opens the account. */
async function withPlanted() {
  const world = await withAttacker();
  const { deps } = world;
  const attacker = await signUp(deps, ctx, { email, password: attackersPassword });
  const { userId } = attacker;
  await world.plantPasskey(userId);
  await world.plantAccount(userId);
  const { key } = await world.plantKey(userId);
  await updateUser(deps, ctx, { userId, project, totpSecret: 'c2VjcmV0' });
  await addContactChannel(deps, ctx, { userId, value: 'eve@example.com', usedForAuth: true, isLimited: true });
  const expectClean = async () => {
    const user = await findUser(deps, ctx, userId);
    expect(user).toMatchObject({ totp: null, passkey: null, oauthAccounts: [] });
    expect(user.channels).toMatchObject([{ value: email, isVerified: true, isPrimary: true, usedForAuth: true }]);
    expect(await findPasskeyUser(deps, ctx.projectId, 'c1')).toBeNull();
    expect(await findOAuthUser(deps, 'ref')).toBeNull();
    expect(await findSignInUser(deps, ctx.projectId, 'eve@example.com')).toBeNull();
    await expectRejection(world.signIn(attackersPassword), 'EMAIL_PASSWORD_MISMATCH');
    expect(await isSessionAlive(deps, attacker.sessionId)).toBe(false);
    const { key: now } = await changeApiKey(deps, ctx, { keyId: key.keyId, ownerType: 'user', by: userId });
    expect(now.revokedAt).not.toBeNull();
  };
  return { ...world, attacker, userId, expectClean };
}

describe('an account created with the victim’s address', () => {
  test('belongs to the victim alone after a reset, without other credentials', async () => {
    const { reset, signIn, userId, expectClean } = await withPlanted();
    await reset();
    await expectClean();
    expect((await signIn(victimsPassword)).userId).toBe(userId);
  });

  test('belongs to the victim alone after a verification without a session', async () => {
    const { deps, userId, eventsOf, reset, signIn, expectClean } = await withPlanted();
    const [sent] = (await eventsOf('EmailRequested')).map(({ data }) => data.variables?.emailVerificationLink ?? '');
    const code = new URL(sent ?? '').searchParams.get('code') ?? '';
    await verifyEmail(deps, ctx, { code, signedInUserId: deps.newId() });
    await expectClean();
    await reset();
    expect((await signIn(victimsPassword)).userId).toBe(userId);
  });

  test('belongs to the victim alone after a sign-in with a code where passwords are off', async () => {
    const { deps, userId, askForCode, expectClean } = await withPlanted();
    await expectRejection(askForCode(project), 'USER_EMAIL_ALREADY_EXISTS', { email });
    const code = await askForCode();
    const signedIn = await signInWithCode(deps, ctx, { code, project: withoutPasswords, anonymousUserId: null });
    expect(signedIn).toMatchObject({ userId, isNewUser: false });
    await expectClean();
    expect(await isSessionAlive(deps, signedIn.sessionId)).toBe(true);
  });

  test('loses other credentials when the victim signs in after a verification by an older client', async () => {
    const { deps, attacker, userId, eventsOf, askForCode } = await withPlanted();
    await updateUser(deps, ctx, { userId, project, totpSecret: null });
    const [sent] = (await eventsOf('EmailRequested')).map(({ data }) => data.variables?.emailVerificationLink ?? '');
    const code = new URL(sent ?? '').searchParams.get('code') ?? '';
    await verifyEmail(deps, ctx, { code, canSendSession: false });
    expect(await isSessionAlive(deps, attacker.sessionId)).toBe(true);
    const signedIn = await signInWithCode(deps, ctx, {
      code: await askForCode(),
      project,
      anonymousUserId: null,
    });
    expect(signedIn.userId).toBe(userId);
    expect(await isSessionAlive(deps, attacker.sessionId)).toBe(false);
    expect(await findUser(deps, ctx, userId)).toMatchObject({ hasPassword: false, passkey: null, oauthAccounts: [] });
  });

  test('does not change when its creator verifies the address with a session', async () => {
    const { deps, attacker: ann, userId, eventsOf } = await withPlanted();
    const [sent] = (await eventsOf('EmailRequested')).map(({ data }) => data.variables?.emailVerificationLink ?? '');
    const code = new URL(sent ?? '').searchParams.get('code') ?? '';
    await verifyEmail(deps, ctx, { code, signedInUserId: userId });
    expect(await isSessionAlive(deps, ann.sessionId)).toBe(true);
    const user = await findUser(deps, ctx, userId);
    expect(user).toMatchObject({ hasPassword: true, passkey: { credentialId: 'c1' }, totp: {} });
    expect(user.channels).toHaveLength(2);
  });

  test("can't be kept by changing the password whenever a reset is requested", async () => {
    const { deps, userId, eventsOf, signIn, expectClean } = await withPlanted();
    const change = (oldPassword: string, newPassword: string) =>
      updatePassword(deps, ctx, { userId, oldPassword, newPassword, keptSessionId: null, config });
    await sendResetCode(deps, ctx, { email, callbackUrl, project });
    const { code } = await lastMail({ eventsOf });
    await change(attackersPassword, 'first change');
    const late = resetPassword(deps, ctx, { code, password: victimsPassword, project });
    await expectRejection(late, 'VERIFICATION_CODE_EXPIRED');
    await sendResetCode(deps, ctx, { email, callbackUrl, project });
    await change('first change', attackersPassword);
    await resetPassword(deps, ctx, { code: (await lastMail({ eventsOf })).code, password: victimsPassword, project });
    await expectClean();
    expect((await signIn(victimsPassword)).userId).toBe(userId);
  });
});

/** Somebody's own account holds the victim's address beside their own, for signing in. */
async function withTrojan(own = true) {
  const world = await withAttacker();
  const { deps } = world;
  const eve = await signUp(deps, ctx, { email: 'eve@example.com', password: attackersPassword });
  const { userId } = eve;
  if (own) await updateUser(deps, ctx, { userId, project, primaryEmailVerified: true });
  const trojan = { userId, value: email, usedForAuth: true, isLimited: true };
  const { channel } = await addContactChannel(deps, ctx, trojan);
  return { ...world, userId, trojan, channel };
}

describe('an additional unverified address', () => {
  test.each([true, false])(
    'does not open the account, whether its primary address is verified or not (%s)',
    async (own) => {
      const { deps, userId, reset, signIn } = await withTrojan(own);
      await expectRejection(signUp(deps, ctx, { email, password: victimsPassword }), 'USER_EMAIL_ALREADY_EXISTS', {
        email,
      });
      await reset();
      const victim = await signIn(victimsPassword);
      expect(victim.userId).not.toBe(userId);
      expect(victim.user.channels).toMatchObject([
        { value: email, isVerified: true, isPrimary: true, usedForAuth: true },
      ]);
      expect([...signInEmails(await findUser(deps, ctx, userId)).values()]).toEqual(['eve@example.com']);
      expect((await signIn(attackersPassword, 'eve@example.com')).userId).toBe(userId);
    },
  );

  test('does not open the account after it became primary', async () => {
    const { deps, userId, channel, reset, signIn } = await withTrojan();
    await changeContactChannel(deps, ctx, { userId, channelId: channel.id, isPrimary: true, isLimited: true });
    await reset();
    expect((await signIn(victimsPassword)).userId).not.toBe(userId);
  });

  test('can be proven with a code when passwords are disabled', async () => {
    const { deps, userId, askForCode } = await withTrojan();
    const code = await askForCode();
    const victim = await signInWithCode(deps, ctx, { code, project: withoutPasswords, anonymousUserId: null });
    expect(victim).toMatchObject({ isNewUser: true });
    expect(victim.userId).not.toBe(userId);
    expect((await findSignInUser(deps, ctx.projectId, email))?.user.userId).toBe(victim.userId);
  });

  test('reveals nothing about the account to the owner of the mailbox', async () => {
    const { deps, userId, eventsOf } = await withTrojan();
    await updateUser(deps, ctx, { userId, project, displayName: 'Win a prize' });
    await sendResetCode(deps, ctx, { email, callbackUrl, project });
    const mail = await lastMail({ eventsOf });
    expect(mail).toMatchObject({ recipient: email, userId: null });
    expect(mail.variables).not.toHaveProperty('userDisplayName');
  });

  test('gives no account where sign-up is closed', async () => {
    const { deps, eventsOf } = await withTrojan();
    const before = (await eventsOf('EmailRequested')).length;
    const closed = { ...project, config: { ...config, signUpEnabled: false } };
    expect(await sendResetCode(deps, ctx, { email, callbackUrl, project: closed })).toEqual({ position: null });
    expect(await eventsOf('EmailRequested')).toHaveLength(before);
  });

  test('blocks nobody from signing up after seven days', async () => {
    const { deps, clock, userId, signIn } = await withTrojan();
    clock.advance(weekMs - 1);
    await expectRejection(signUp(deps, ctx, { email, password: victimsPassword }), 'USER_EMAIL_ALREADY_EXISTS', {
      email,
    });
    clock.advance(1);
    expect((await signIn(attackersPassword)).userId).toBe(userId);
    const victim = await signUp(deps, ctx, { email, password: victimsPassword });
    expect((await signIn(victimsPassword)).userId).toBe(victim.userId);
    await expectRejection(signIn(attackersPassword), 'EMAIL_PASSWORD_MISMATCH');
    expect([...signInEmails(await findUser(deps, ctx, userId)).values()]).toEqual(['eve@example.com']);
  });

  test('stays with the account once it is verified', async () => {
    const { deps, clock, userId, channel, eventsOf } = await withTrojan();
    await sendVerificationCode(deps, ctx, { project, userId, callbackUrl, channelId: channel.id });
    await verifyEmail(deps, ctx, { code: (await lastMail({ eventsOf })).code, signedInUserId: userId });
    clock.advance(weekMs);
    await expectRejection(signUp(deps, ctx, { email, password: victimsPassword }), 'USER_EMAIL_ALREADY_EXISTS', {
      email,
    });
  });
});

test('an account that was made with an unverified address keeps it: nobody takes it who has not proved it', async () => {
  const { deps, clock } = await withPlanted();
  clock.advance(10 * weekMs);
  await expectRejection(signUp(deps, ctx, { email, password: victimsPassword }), 'USER_EMAIL_ALREADY_EXISTS', {
    email,
  });
});

describe('a reset code', () => {
  async function withCode() {
    const world = await withAttacker();
    const { deps } = world;
    const { userId } = await signUp(deps, ctx, { email, password: attackersPassword });
    await updateUser(deps, ctx, { userId, project, primaryEmailVerified: true });
    const mailed = async () => {
      await sendResetCode(deps, ctx, { email, callbackUrl, project });
      return (await lastMail(world)).code;
    };
    const redeem = (code: string) => resetPassword(deps, ctx, { code, password: victimsPassword, project });
    return { ...world, userId, mailed, redeem };
  }

  test('is expired once a newer one was requested', async () => {
    const { deps, mailed, redeem } = await withCode();
    const [older, newer] = [await mailed(), await mailed()];
    await expectRejection(checkResetCode(deps, ctx, { code: older }), 'VERIFICATION_CODE_EXPIRED');
    await expectRejection(redeem(older), 'VERIFICATION_CODE_EXPIRED');
    await checkResetCode(deps, ctx, { code: newer });
    await redeem(newer);
    await expectRejection(redeem(older), 'VERIFICATION_CODE_EXPIRED');
    await expectRejection(redeem(newer), 'VERIFICATION_CODE_ALREADY_USED');
  });

  test('is expired once the password was changed by its owner or a server', async () => {
    const { deps, userId, mailed, redeem } = await withCode();
    const first = await mailed();
    const change = {
      userId,
      oldPassword: attackersPassword,
      newPassword: 'changed by hand',
      keptSessionId: null,
      config,
    };
    await updatePassword(deps, ctx, change);
    await expectRejection(redeem(first), 'VERIFICATION_CODE_EXPIRED');
    const second = await mailed();
    await updateUser(deps, ctx, { userId, project, password: null });
    await expectRejection(redeem(second), 'VERIFICATION_CODE_EXPIRED');
  });
});

describe('a request of the attacker in progress at the first proof', () => {
  /** As the API would have it: the session was alive when the request came. */
  async function withSession() {
    const world = await withPlanted();
    const { attacker, eventsOf, userId } = world;
    const started = (await eventsOf('SessionStarted')).find(({ data }) => data.sessionId === attacker.sessionId);
    const session = { userId, sessionId: attacker.sessionId, userRevision: started?.data.userRevision ?? 0 };
    return { ...world, asAttacker: { ...ctx, session } };
  }
  const registration = { credentialId: 'late', publicKey: 'k', counter: 1, transports: [], deviceType: 'singleDevice' };

  test('can no longer add a passkey, address or key', async () => {
    const { deps, userId, reset, expectClean, asAttacker } = await withSession();
    const { code } = await startPasskeyRegistration(deps, ctx, { userId, challenge: 'challenge', config });
    await reset();
    const key = { description: 'spy', expiresAt: null, isPublic: false, by: userId };
    for (const late of [
      registerPasskey(deps, asAttacker, { userId, code, credential: registration, config }),
      addContactChannel(deps, asAttacker, { userId, value: 'late@example.com', usedForAuth: true }),
      createApiKey(deps, asAttacker, { ownerType: 'user', ownerId: userId, ...key }),
    ]) {
      await expectRejection(late, 'ACCESS_TOKEN_EXPIRED', { expired_at_millis: null });
    }
    await expectClean();
  });

  test('gets an API key that is already revoked', async () => {
    const { deps, userId, reset, asAttacker } = await withSession();
    const plain = { description: 'spy', expiresAt: null, isPublic: false, by: userId };
    const slow = interruptBefore(to('apikey'), deps, reset);
    const { key } = await createApiKey(slow, asAttacker, { ownerType: 'user', ownerId: userId, ...plain });
    const now = await changeApiKey(deps, ctx, { keyId: key.keyId, ownerType: 'user', by: userId });
    expect(now.key.revokedAt).not.toBeNull();
  });
});

test('leaves the victim the full API key quota', async () => {
  const { deps, userId, reset } = await withPlanted();
  const create = () =>
    createApiKey(deps, ctx, {
      ownerType: 'user',
      ownerId: userId,
      by: userId,
      limit: 1,
      description: 'mine',
      expiresAt: null,
      isPublic: false,
    });
  await create();
  await expectRejection(create(), 'QUOTA_EXCEEDED', { quota: 'apiKeysPerUser', limit: 1 });
  await reset();
  await create();
});

describe('a first proof interrupted', () => {
  const died = 'the process died';

  test.each(['user', 'reservation'])('a first proof before the %s leaves no half of it', async (category) => {
    const { deps, reset, expectClean } = await withPlanted();
    await expect(reset(crashBefore(to(category), deps))).rejects.toThrow(died);
    // Freed reservations come last: without them the values are nobody's all the same.
    if (category === 'user') await reset();
    await expectClean();
  });

  test.each(['user', 'reservation'])(
    'a taken-over address before the %s is had with another code',
    async (category) => {
      const { deps, clock, userId, reset, signIn } = await withTrojan();
      await expect(reset(crashBefore(to(category), deps))).rejects.toThrow(died);
      clock.advance(60_000);
      const held = await findSignInUser(deps, ctx.projectId, email);
      if (held) await reset();
      else await signUp(deps, ctx, { email, password: victimsPassword });
      expect((await signIn(victimsPassword)).userId).not.toBe(userId);
    },
  );

  test('a race that the holder wins by verifying the address leaves it theirs', async () => {
    const { deps, userId, channel, eventsOf } = await withTrojan();
    await sendVerificationCode(deps, ctx, { project, userId, callbackUrl, channelId: channel.id });
    const { code } = await lastMail({ eventsOf });
    const verify = () => verifyEmail(deps, ctx, { code, signedInUserId: userId });
    await sendResetCode(deps, ctx, { email, callbackUrl, project });
    const reset = (await lastMail({ eventsOf })).code;
    const late = resetPassword(interruptBefore(to('user'), deps, verify), ctx, {
      code: reset,
      password: victimsPassword,
      project,
    });
    await expectRejection(late, 'VERIFICATION_CODE_NOT_FOUND');
    expect((await findSignInUser(deps, ctx.projectId, email))?.user.userId).toBe(userId);
  });
});
