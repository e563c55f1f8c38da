import type { Passkey } from '@gatebook/domain/user/events';
import { describe, expect, test } from 'vitest';
import { isSessionAlive } from '../testing/liveness.ts';
import { signUp, testProject } from '../testing/people.ts';
import { contextOf, createWorld, expectRejection } from '../testing/world.ts';
import { deleteUser } from '../user/delete-user.ts';
import { findUser } from '../user/load-user.ts';
import { updateUser } from '../user/update-user.ts';
import { registerPasskey, signInWithPasskey, startPasskeyRegistration, startPasskeySignIn } from './passkey.ts';

const ctx = contextOf('shop');
const { config } = testProject;
const off = { ...config, passkeyEnabled: false };
const challenge = 'challenge';
const passkeyOf = (credentialId: string): Passkey => ({
  credentialId,
  publicKey: 'key',
  counter: 1,
  transports: ['internal'],
  deviceType: 'multiDevice',
});
const fault = (reason: 'origin' | 'response') => ({ outcome: 'failed', reason, message: 'no good' });
const failed = { message: 'no good' };

/** In this world an answer of the browser says itself what it is worth. */
async function withAnn() {
  const world = await createWorld();
  const { deps } = world;
  const { userId } = await signUp(deps, ctx, { email: 'ann@example.com', password: 'correct horse' });
  const begin = async () => (await startPasskeyRegistration(deps, ctx, { userId, challenge, config })).code;
  const register = (code: string, credential: unknown, input: object = {}) =>
    registerPasskey(deps, ctx, { userId, code, credential, config, ...input });
  const beginSignIn = async () => (await startPasskeySignIn(deps, ctx, { challenge, config })).code;
  const signIn = (code: string, response: unknown, input: object = {}) =>
    signInWithPasskey(deps, ctx, { code, response, config, ...input });
  return { ...world, userId, begin, register, beginSignIn, signIn };
}

describe('registering a passkey', () => {
  test('replaces the previous passkey, which can no longer sign in', async () => {
    const { deps, userId, begin, register, beginSignIn, signIn } = await withAnn();
    await register(await begin(), passkeyOf('first'));
    expect(await register(await begin(), passkeyOf('second'))).toMatchObject({ credentialId: 'second' });
    expect((await findUser(deps, ctx, userId)).passkey).toEqual(passkeyOf('second'));
    const old = signIn(await beginSignIn(), { credentialId: 'first', counter: 2 });
    await expectRejection(old, 'PASSKEY_AUTHENTICATION_FAILED', { message: 'This passkey is not registered.' });
    expect((await signIn(await beginSignIn(), { credentialId: 'second', counter: 2 })).userId).toBe(userId);
  });

  test('works once within 65 s and only for the requesting user', async () => {
    const { deps, clock, begin, register } = await withAnn();
    const code = await begin();
    const other = { userId: deps.newId() };
    await expectRejection(register(code, passkeyOf('first'), other), 'VERIFICATION_CODE_NOT_FOUND');
    await register(code, passkeyOf('first'));
    await expectRejection(register(code, passkeyOf('first')), 'VERIFICATION_CODE_ALREADY_USED');
    const late = await begin();
    clock.advance(65_000);
    await expectRejection(register(late, passkeyOf('first')), 'VERIFICATION_CODE_EXPIRED');
  });

  test('uses up the challenge when verification fails', async () => {
    const { begin, register } = await withAnn();
    const code = await begin();
    await expectRejection(register(code, fault('response')), 'PASSKEY_REGISTRATION_FAILED', failed);
    await expectRejection(register(code, passkeyOf('first')), 'VERIFICATION_CODE_ALREADY_USED');
    await expectRejection(register(await begin(), fault('origin')), 'PASSKEY_AUTHENTICATION_FAILED', failed);
  });

  test('is rejected while the method is off and keeps the challenge', async () => {
    const { deps, userId, begin, register } = await withAnn();
    const start = startPasskeyRegistration(deps, ctx, { userId, challenge, config: off });
    await expectRejection(start, 'PASSKEY_AUTHENTICATION_NOT_ENABLED');
    const code = await begin();
    await expectRejection(register(code, passkeyOf('first'), { config: off }), 'PASSKEY_AUTHENTICATION_NOT_ENABLED');
    await register(code, passkeyOf('first'));
  });

  test('rejects a credential of another user, but not one that was released', async () => {
    const { deps, userId, begin, register } = await withAnn();
    await register(await begin(), passkeyOf('first'));
    const bob = await signUp(deps, ctx, { email: 'bob@example.com', password: 'correct horse' });
    const bobs = async () => {
      const { code } = await startPasskeyRegistration(deps, ctx, { userId: bob.userId, challenge, config });
      return registerPasskey(deps, ctx, { userId: bob.userId, code, credential: passkeyOf('first'), config });
    };
    const message = 'The passkey belongs to another user.';
    await expectRejection(bobs(), 'PASSKEY_REGISTRATION_FAILED', { message });
    await updateUser(deps, ctx, { userId, project: testProject, passkeyAuthEnabled: false });
    expect((await findUser(deps, ctx, userId)).passkey).toBeNull();
    await bobs();
  });

  test('accepts one of 50 responses to one challenge', async () => {
    const { begin, register, eventsOf } = await withAnn();
    const code = await begin();
    const tries = Array.from({ length: 50 }, (_, nth) => register(code, passkeyOf(`credential ${nth}`)));
    const outcomes = await Promise.allSettled(tries);
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(await eventsOf('PasskeyRegistered')).toHaveLength(1);
  });
});

describe('signing in with a passkey', () => {
  test('starts a session and stores the counter', async () => {
    const { deps, userId, begin, register, beginSignIn, signIn, eventsOf } = await withAnn();
    await register(await begin(), passkeyOf('first'));
    const signedIn = await signIn(await beginSignIn(), { credentialId: 'first', counter: 2 });
    expect(signedIn).toMatchObject({ userId, isNewUser: false });
    expect(await isSessionAlive(deps, signedIn.sessionId)).toBe(true);
    expect((await eventsOf('SessionStarted')).at(-1)?.data.method).toBe('passkey');
    const message = 'The passkey could not be verified.';
    const replayed = signIn(await beginSignIn(), { credentialId: 'first', counter: 2 });
    await expectRejection(replayed, 'PASSKEY_AUTHENTICATION_FAILED', { message });
  });

  test('requires the second factor if the user has one', async () => {
    const { deps, userId, begin, register, beginSignIn, signIn } = await withAnn();
    await register(await begin(), passkeyOf('first'));
    await updateUser(deps, ctx, { userId, project: testProject, totpSecret: 'c2VjcmV0' });
    const outcome = signIn(await beginSignIn(), { credentialId: 'first', counter: 2 });
    await expect(outcome).rejects.toMatchObject({ code: 'MULTI_FACTOR_AUTHENTICATION_REQUIRED' });
  });

  test('uses up the challenge when verification fails, but not while the method is off', async () => {
    const { begin, register, beginSignIn, signIn } = await withAnn();
    await register(await begin(), passkeyOf('first'));
    const code = await beginSignIn();
    const response = { credentialId: 'first', counter: 2 };
    await expectRejection(signIn(code, response, { config: off }), 'PASSKEY_AUTHENTICATION_NOT_ENABLED');
    const bad = { credentialId: 'first', ...fault('response') };
    await expectRejection(signIn(code, bad), 'PASSKEY_AUTHENTICATION_FAILED', failed);
    await expectRejection(signIn(code, response), 'VERIFICATION_CODE_ALREADY_USED');
  });

  test('accepts one of 50 assertions for one challenge', async () => {
    const { begin, register, beginSignIn, signIn } = await withAnn();
    await register(await begin(), passkeyOf('first'));
    const code = await beginSignIn();
    const tries = Array.from({ length: 50 }, (_, nth) => signIn(code, { credentialId: 'first', counter: 2 + nth }));
    const outcomes = await Promise.allSettled(tries);
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });

  test('is rejected for a deleted user and in another project', async () => {
    const { deps, userId, begin, register, beginSignIn, signIn } = await withAnn();
    await register(await begin(), passkeyOf('first'));
    const response = { credentialId: 'first', counter: 2 };
    const unknown = { message: 'This passkey is not registered.' };
    const { code } = await startPasskeySignIn(deps, contextOf('bar'), { challenge, config });
    const elsewhere = signInWithPasskey(deps, contextOf('bar'), { code, response, config });
    await expectRejection(elsewhere, 'PASSKEY_AUTHENTICATION_FAILED', unknown);
    await deleteUser(deps, ctx, { userId });
    await expectRejection(signIn(await beginSignIn(), response), 'PASSKEY_AUTHENTICATION_FAILED', unknown);
  });
});
