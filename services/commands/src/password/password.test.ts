import { describe, expect, test } from 'vitest';
import { isSessionAlive } from '../testing/liveness.ts';
import { signUp, testProject } from '../testing/people.ts';
import { contextOf, createWorld, expectRejection } from '../testing/world.ts';
import { createUser } from '../user/create-user.ts';
import { deleteUser } from '../user/delete-user.ts';
import { updateUser } from '../user/update-user.ts';
import { setPassword, signInWithPassword, updatePassword } from './password.ts';

const ctx = contextOf('shop');
const config = { credentialEnabled: true, signUpEnabled: true };
const off = { ...config, credentialEnabled: false };
const email = 'Ann@example.com';
const password = 'correct horse';
const ann = { email, password, config };

async function withAnn() {
  const world = await createWorld();
  const signedUp = await signUp(world.deps, ctx, ann);
  const signIn = (input: Partial<typeof ann> = {}) => signInWithPassword(world.deps, ctx, { ...ann, ...input });
  return { ...world, ...signedUp, signIn };
}

describe('sign-up', () => {
  test('records reservation, user, session and verification email in this order and returns the session', async () => {
    const { deps, userId, sessionId, refreshToken, position, typesAfter, eventsOf } = await withAnn();
    expect(await typesAfter(0n)).toEqual([
      ...['ValueReserved', 'UserCreated', 'ContactChannelAdded', 'UserPasswordSet', 'SessionStarted'],
      ...['CodeIssued', 'EmailRequested'],
    ]);
    expect(position).toBe(await deps.store.head());
    const [session] = await eventsOf('SessionStarted');
    expect(session?.data).toMatchObject({
      sessionId,
      userId,
      projectId: 'shop',
      userRevision: 2,
      method: 'password',
      isImpersonation: false,
      refreshTokenHash: deps.sha256(refreshToken),
      ip: '203.0.113.7',
      userAgent: 'test',
      at: '2026-01-15T12:00:00.000Z',
      expiresAt: '2027-01-15T12:00:00.000Z',
    });
    const [channel] = await eventsOf('ContactChannelAdded');
    expect(channel?.data).toMatchObject({ value: email, isPrimary: true, isVerified: false, usedForAuth: true });
    expect(refreshToken).toMatch(/^[0-9a-hjkmnp-tv-z]{45}$/);
  });

  test('stores no readable email, password or token in stream names and reservations', async () => {
    const { deps, refreshToken } = await withAnn();
    const all = await deps.store.readAll(0n, 100);
    const names = all.map(({ stream }) => stream).join();
    expect(names.toLowerCase()).not.toContain('example.com');
    const encrypted = { value: null, passwordHash: null, recipient: null, callbackUrl: null, variables: null };
    const withoutEncrypted = JSON.stringify(all.map(({ data }) => ({ ...data, ...encrypted })));
    for (const secret of [email, password, refreshToken]) expect(withoutEncrypted).not.toContain(secret);
  });

  test('checks method, length, sign-up and email in this order', async () => {
    const { deps } = await withAnn();
    const trySignUp = (input: Partial<typeof ann>) => signUp(deps, ctx, { ...ann, ...input });
    const closed = { ...config, signUpEnabled: false };
    const allOff = { credentialEnabled: false, signUpEnabled: false };
    await expectRejection(trySignUp({ config: allOff, password: 'x' }), 'PASSWORD_AUTHENTICATION_NOT_ENABLED');
    await expectRejection(trySignUp({ config: closed, password: '1234567' }), 'PASSWORD_TOO_SHORT', { min_length: 8 });
    await expectRejection(trySignUp({ config: closed, password: 'x'.repeat(71) }), 'PASSWORD_TOO_LONG', {
      maxLength: 70,
    });
    await expectRejection(trySignUp({ config: closed }), 'SIGN_UP_NOT_ENABLED');
    await expectRejection(trySignUp({}), 'USER_EMAIL_ALREADY_EXISTS', { email });
  });

  test('rejects another spelling of a known address without hashing', async () => {
    const { deps, hasher } = await withAnn();
    const before = hasher.hashed.length;
    await expectRejection(signUp(deps, ctx, { ...ann, email: 'ANN@EXAMPLE.COM' }), 'USER_EMAIL_ALREADY_EXISTS', {
      email: 'ANN@EXAMPLE.COM',
    });
    expect(hasher.hashed).toHaveLength(before);
  });

  test('allows the same address in another project', async () => {
    const { deps, userId } = await withAnn();
    const other = await signUp(deps, contextOf('bar'), ann);
    expect(other.userId).not.toBe(userId);
  });

  test('allows an address that another user has but does not sign in with', async () => {
    const world = await createWorld();
    await createUser(world.deps, ctx, { project: testProject, primaryEmail: email, primaryEmailVerified: true });
    await signUp(world.deps, ctx, ann);
    expect(await world.eventsOf('UserCreated')).toHaveLength(2);
  });
});

describe('sign-in', () => {
  test('with the right password starts a session, whatever the spelling of the email', async () => {
    const { deps, userId, sessionId, signIn } = await withAnn();
    const second = await signIn({ email: 'ann@EXAMPLE.com', config: { ...config, signUpEnabled: false } });
    expect(second.userId).toBe(userId);
    expect(second.sessionId).not.toBe(sessionId);
    expect(await isSessionAlive(deps, sessionId)).toBe(true);
    expect(await isSessionAlive(deps, second.sessionId)).toBe(true);
  });

  test('responds the same to a wrong password, an unknown address and a user without password, after one comparison', async () => {
    const { deps, hasher, signIn } = await withAnn();
    await createUser(deps, ctx, {
      project: testProject,
      primaryEmail: 'bob@example.com',
      primaryEmailAuthEnabled: true,
    });
    for (const input of [{ password: 'wrong' }, { email: 'eve@example.com' }, { email: 'bob@example.com' }]) {
      hasher.verified.length = 0;
      await expectRejection(signIn(input), 'EMAIL_PASSWORD_MISMATCH');
      expect(hasher.verified).toHaveLength(1);
    }
    await expectRejection(signIn({ password: 'x'.repeat(71) }), 'EMAIL_PASSWORD_MISMATCH');
  });

  test('reads as many streams for an unknown address as for a known one', async () => {
    const { deps } = await withAnn();
    const readsOf = async (address: string) => {
      let reads = 0;
      const foldStream: typeof deps.store.foldStream = (...args) => {
        reads += 1;
        return deps.store.foldStream(...args);
      };
      const counting = { ...deps, store: { ...deps.store, foldStream } };
      await signInWithPassword(counting, ctx, { ...ann, email: address, password: 'wrong' }).catch(() => undefined);
      return reads;
    };
    expect(await readsOf('eve@example.com')).toBe(await readsOf(email));
  });

  test('is rejected while the method is off', async () => {
    const { signIn } = await withAnn();
    await expectRejection(signIn({ config: off }), 'PASSWORD_AUTHENTICATION_NOT_ENABLED');
  });

  test('of a deleted user is a mismatch', async () => {
    const { deps, userId, signIn } = await withAnn();
    await deleteUser(deps, ctx, { userId });
    await expectRejection(signIn(), 'EMAIL_PASSWORD_MISMATCH');
  });

  test('works with the new address and not with the released one', async () => {
    const { deps, userId, signIn } = await withAnn();
    await updateUser(deps, ctx, { userId, project: testProject, primaryEmail: 'new@example.com' });
    await expectRejection(signIn(), 'EMAIL_PASSWORD_MISMATCH');
    expect((await signIn({ email: 'new@example.com' })).userId).toBe(userId);
  });

  test('is a mismatch when the keys of the user’s data are lost', async () => {
    const { deps, userId, signIn } = await withAnn();
    await deps.eraseSubject(userId);
    await expectRejection(signIn(), 'EMAIL_PASSWORD_MISMATCH');
  });

  test('rehashes an outdated hash in the same append as the session', async () => {
    const { deps, hasher, signIn, userId, typesAfter, eventsOf } = await withAnn();
    const old = { ...deps, hasher: { ...hasher, hash: async (text: string) => `old:${text}` } };
    await updatePassword(old, ctx, { ...change, userId });
    const head = await deps.store.head();
    const signedIn = await signIn({ password: change.newPassword });
    expect(await typesAfter(head)).toEqual(['UserPasswordSet', 'SessionStarted']);
    const last = (await eventsOf('UserPasswordSet')).at(-1);
    expect(last?.data).toMatchObject({ origin: 'rehash', passwordHash: `plain:${change.newPassword}` });
    expect(await isSessionAlive(deps, signedIn.sessionId)).toBe(true);
    await signIn({ password: change.newPassword });
    expect(await eventsOf('UserPasswordSet')).toHaveLength(3);
  });

  test('starts a session that is never alive when the password changes concurrently', async () => {
    const { deps, hasher, userId } = await withAnn();
    const during = {
      ...hasher,
      verify: async (stored: string | null, text: string) => {
        const matches = await hasher.verify(stored, text);
        await updateUser(deps, ctx, { userId, project: testProject, password: 'another one' });
        return matches;
      },
    };
    const signedIn = await signInWithPassword({ ...deps, hasher: during }, ctx, ann);
    expect(await isSessionAlive(deps, signedIn.sessionId)).toBe(false);
  });

  test('with an outdated hash is a mismatch when the user is deleted concurrently', async () => {
    const { deps, hasher, userId } = await withAnn();
    const during = {
      ...hasher,
      needsRehash: () => true,
      hash: async (text: string) => {
        await deleteUser(deps, ctx, { userId });
        return hasher.hash(text);
      },
    };
    await expectRejection(signInWithPassword({ ...deps, hasher: during }, ctx, ann), 'EMAIL_PASSWORD_MISMATCH');
  });
});

describe('setting a first password', () => {
  async function withoutPassword() {
    const world = await createWorld();
    const user = { primaryEmail: email, primaryEmailAuthEnabled: true };
    return { ...world, ...(await createUser(world.deps, ctx, { project: testProject, ...user })) };
  }
  test('works once', async () => {
    const { deps, userId } = await withoutPassword();
    await setPassword(deps, ctx, { userId, password, config });
    expect((await signInWithPassword(deps, ctx, ann)).userId).toBe(userId);
    await expectRejection(setPassword(deps, ctx, { userId, password, config }), 'USER_ALREADY_HAS_PASSWORD');
  });
  test('checks method, length and user in this order', async () => {
    const { deps } = await withoutPassword();
    const nobody = { userId: deps.newId(), password, config };
    await expectRejection(
      setPassword(deps, ctx, { ...nobody, password: '', config: off }),
      'PASSWORD_AUTHENTICATION_NOT_ENABLED',
    );
    await expectRejection(setPassword(deps, ctx, { ...nobody, password: '' }), 'PASSWORD_TOO_SHORT', { min_length: 8 });
    await expectRejection(setPassword(deps, ctx, { ...nobody, password: 'x'.repeat(71) }), 'PASSWORD_TOO_LONG', {
      maxLength: 70,
    });
    await expectRejection(setPassword(deps, ctx, nobody), 'USER_NOT_FOUND');
  });
});

const change = { oldPassword: password, newPassword: 'battery staple', keptSessionId: null, config };

describe('changing the password', () => {
  test('ends all sessions but the kept one in the same append', async () => {
    const { deps, userId, sessionId, signIn, typesAfter } = await withAnn();
    const second = await signIn();
    const head = await deps.store.head();
    await updatePassword(deps, ctx, { ...change, userId, keptSessionId: second.sessionId });
    expect(await typesAfter(head)).toEqual(['UserPasswordSet', 'UserSessionsEnded']);
    expect(await isSessionAlive(deps, sessionId)).toBe(false);
    expect(await isSessionAlive(deps, second.sessionId)).toBe(true);
    await expectRejection(signIn(), 'EMAIL_PASSWORD_MISMATCH');
    const third = await signIn({ password: change.newPassword });
    expect(await isSessionAlive(deps, third.sessionId)).toBe(true);
  });

  test('ends all sessions when none is kept', async () => {
    const { deps, userId, sessionId } = await withAnn();
    await updatePassword(deps, ctx, { ...change, userId });
    expect(await isSessionAlive(deps, sessionId)).toBe(false);
  });

  test('accepts the old password as the new one', async () => {
    const { deps, userId, signIn } = await withAnn();
    await updatePassword(deps, ctx, { ...change, userId, newPassword: password });
    await signIn();
  });

  test('checks method, length, existing password and old password in this order', async () => {
    const { deps, userId } = await withAnn();
    const bob = await createUser(deps, ctx, { project: testProject });
    const update = (input: Partial<typeof change> & { userId: string }) =>
      updatePassword(deps, ctx, { ...change, ...input });
    await expectRejection(update({ userId, config: off, newPassword: '' }), 'PASSWORD_AUTHENTICATION_NOT_ENABLED');
    await expectRejection(update({ userId: bob.userId, newPassword: '' }), 'PASSWORD_TOO_SHORT', { min_length: 8 });
    await expectRejection(update({ userId, newPassword: 'x'.repeat(71) }), 'PASSWORD_TOO_LONG', { maxLength: 70 });
    await expectRejection(update({ userId: deps.newId() }), 'USER_NOT_FOUND');
    await expectRejection(update({ userId: bob.userId }), 'USER_DOES_NOT_HAVE_PASSWORD');
    await expectRejection(update({ userId, oldPassword: 'wrong' }), 'PASSWORD_CONFIRMATION_MISMATCH');
    await expectRejection(updatePassword(deps, contextOf('bar'), { ...change, userId }), 'USER_NOT_FOUND');
  });

  test('rejects the second of two concurrent changes', async () => {
    const { deps, userId } = await withAnn();
    const outcomes = await Promise.allSettled(
      ['first new one', 'second new one'].map((newPassword) =>
        updatePassword(deps, ctx, { ...change, userId, newPassword }),
      ),
    );
    expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    expect(outcomes.find(({ status }) => status === 'rejected')).toMatchObject({
      reason: { code: 'PASSWORD_CONFIRMATION_MISMATCH' },
    });
  });

  test('succeeds although the old password was rehashed concurrently', async () => {
    const { deps, hasher, userId, signIn } = await withAnn();
    const during = {
      ...hasher,
      hash: async (text: string) => {
        const rehashing = { ...hasher, needsRehash: () => true, hash: async (same: string) => `newer:${same}` };
        await signInWithPassword({ ...deps, hasher: rehashing }, ctx, ann);
        return hasher.hash(text);
      },
    };
    await updatePassword({ ...deps, hasher: during }, ctx, { ...change, userId });
    await signIn({ password: change.newPassword });
  });
});
