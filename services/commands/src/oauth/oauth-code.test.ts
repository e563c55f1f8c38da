import { describe, expect, test } from 'vitest';
import { updatePassword } from '../password/password.ts';
import { isSessionAlive } from '../session/liveness.ts';
import { createSession, endSession } from '../session/session.ts';
import { signInWithTotp } from '../sign-in/second-factor.ts';
import { ann, email, project, withProvider } from '../testing/oauth-world.ts';
import { expectRejection, interruptBefore, to } from '../testing/world.ts';
import { createUser } from '../user/create-user.ts';
import { deleteUser } from '../user/delete-user.ts';
import { updateUser } from '../user/update-user.ts';
import { linkPurposeOf } from './authorization-request.ts';

type OAuthWorld = Awaited<ReturnType<typeof withProvider>>;

/** A user with a session, and the link that this session asks for. */
async function withSession(more: { totpSecret?: string } = {}) {
  const world = await withProvider();
  const { deps, ctx } = world;
  const { userId } = await createUser(deps, ctx, { project, primaryEmail: 'owner@example.com', ...more });
  const { sessionId } = await createSession(deps, ctx, { userId, lifeMs: 4 * 60_000 });
  const askToLink = async () => (await linkPurposeOf(deps, { userId, sessionId })) ?? 'over';
  const purpose = await linkPurposeOf(deps, { userId, sessionId });
  if (purpose === null) throw new Error('the session is over');
  return { ...world, userId, sessionId, purpose, askToLink };
}
type SessionWorld = Awaited<ReturnType<typeof withSession>>;

describe('before the redemption of its code, a callback', () => {
  const writtenBy = async ({ deps, typesAfter }: OAuthWorld, act: () => Promise<unknown>) => {
    const before = await deps.store.head();
    await act();
    return [...new Set(await typesAfter(before))].sort();
  };

  test.each([
    ['a sign-up', undefined],
    ['a merge with the owner of the address', { primaryEmail: email, primaryEmailVerified: true }],
  ])('%s writes nothing but codes', async (_, owner) => {
    const world = await withProvider();
    if (owner) await createUser(world.deps, world.ctx, { project, ...owner, primaryEmailAuthEnabled: true });
    expect(await writtenBy(world, () => world.codeFor(ann))).toEqual(['CodeIssued', 'CodeUsed']);
  });

  test('for a link or a known account writes nothing but codes', async () => {
    const world = await withSession();
    const { purpose, codeFor } = world;
    expect(await writtenBy(world, () => codeFor(ann, { purpose }))).toEqual(['CodeIssued', 'CodeUsed']);
    await world.signIn(ann, { purpose });
    expect(await writtenBy(world, () => codeFor(ann))).toEqual(['CodeIssued', 'CodeUsed']);
  });

  test('keeps the account readable only while the code is open, under a key of its own', async () => {
    const { deps, codeFor, eventsOf } = await withProvider();
    await codeFor(ann);
    const issued = (await eventsOf('CodeIssued')).at(-1)?.data;
    expect(issued?.encryptedPayload).toMatchObject({ profile: { email } });
    expect(JSON.stringify(issued?.payload)).not.toContain(email);
    await deps.eraseSubject(issued?.subjectId ?? '');
    expect((await eventsOf('CodeIssued')).at(-1)?.data.encryptedPayload).toBeNull();
  });
});

/** What has to end a link that a session asked for: its own end, and all that ends the sessions of its user. */
const ends: [string, (world: SessionWorld) => Promise<unknown>][] = [
  ['sign-out', (world) => endSession(world.deps, world.ctx, { ...world, reason: 'sign_out' })],
  [
    'the end of the session by an administrator',
    (world) => endSession(world.deps, world.ctx, { ...world, reason: 'revoked' }),
  ],
  [
    'a new password by the server, which ends all sessions',
    ({ deps, ctx, userId }) => updateUser(deps, ctx, { project, userId, password: 'correct horse' }),
  ],
  ['the expiry of the session', async ({ clock }) => clock.advance(4 * 60_000)],
];

describe('a link that outlives its session', () => {
  test.each(ends)('is rejected at the callback after %s', async (_, end) => {
    const world = await withSession();
    const { state } = await world.begin({ purpose: world.purpose });
    await end(world);
    await expectRejection(world.finish(state, ann), 'REFRESH_TOKEN_NOT_FOUND_OR_EXPIRED');
    expect(await world.eventsOf('OAuthAccountLinked')).toEqual([]);
  });

  test.each(ends)('is rejected when its code is redeemed after %s', async (_, end) => {
    const world = await withSession();
    const code = await world.codeFor(ann, { purpose: world.purpose });
    await end(world);
    await expectRejection(world.redeem(code), 'REFRESH_TOKEN_NOT_FOUND_OR_EXPIRED');
    expect(await world.eventsOf('OAuthAccountLinked')).toEqual([]);
    expect(await world.eventsOf('SessionStarted')).toHaveLength(1);
  });

  test.each(ends)("can't be requested after %s", async (_, end) => {
    const world = await withSession();
    await end(world);
    expect(await world.askToLink()).toBe('over');
  });

  test('is rejected when the sessions end during its redemption', async () => {
    const world = await withSession();
    const { deps, ctx, userId } = world;
    const code = await world.codeFor(ann, { purpose: world.purpose });
    const endAll = () => updateUser(deps, ctx, { project, userId, password: 'correct horse' });
    const by = interruptBefore(to('user-'), deps, endAll);
    await expectRejection(world.redeem(code, { by }), 'REFRESH_TOKEN_NOT_FOUND_OR_EXPIRED');
    expect(await world.eventsOf('OAuthAccountLinked')).toEqual([]);
  });

  test('is rejected when a new password ended all sessions but this one', async () => {
    const world = await withSession();
    const { deps, ctx, userId, sessionId } = world;
    const [oldPassword, newPassword] = ['correct horse', 'battery staple'];
    await updateUser(deps, ctx, { project, userId, password: oldPassword });
    const { sessionId: keptSessionId } = await createSession(deps, ctx, { userId });
    const purpose = (await linkPurposeOf(deps, { userId, sessionId: keptSessionId })) ?? expect.fail('over');
    const code = await world.codeFor(ann, { purpose });
    await updatePassword(deps, ctx, { userId, oldPassword, newPassword, keptSessionId, config: project.config });
    expect(await isSessionAlive(deps, keptSessionId)).toBe(true);
    expect(await isSessionAlive(deps, sessionId)).toBe(false);
    await expectRejection(world.redeem(code), 'REFRESH_TOKEN_NOT_FOUND_OR_EXPIRED');
  });

  test('is rejected when the user is deleted before', async () => {
    const world = await withSession();
    const code = await world.codeFor(ann, { purpose: world.purpose });
    await deleteUser(world.deps, world.ctx, { userId: world.userId });
    await expectRejection(world.redeem(code), 'USER_NOT_FOUND');
  });

  test('is recorded with its user as the actor', async () => {
    const world = await withSession();
    const { userId } = await world.signIn(ann, { purpose: world.purpose });
    expect(userId).toBe(world.userId);
    const [linked] = await world.eventsOf('OAuthAccountLinked');
    expect(linked?.metadata.actor).toEqual({ kind: 'user', id: userId });
  });
});

describe('a sign-in between callback and redemption', () => {
  test('is rejected once the user’s sessions were ended', async () => {
    const { deps, ctx, signIn, codeFor, redeem, eventsOf } = await withProvider();
    const { userId } = await signIn(ann);
    const code = await codeFor(ann);
    await updateUser(deps, ctx, { project, userId, password: 'correct horse' });
    await expectRejection(redeem(code), 'INVALID_AUTHORIZATION_CODE');
    expect(await eventsOf('SessionStarted')).toHaveLength(1);
  });

  test('is rejected once the user is deleted and creates no other user', async () => {
    const { deps, ctx, signIn, codeFor, redeem, eventsOf } = await withProvider();
    const { userId } = await signIn(ann);
    const code = await codeFor(ann);
    await deleteUser(deps, ctx, { userId });
    await expectRejection(redeem(code), 'INVALID_AUTHORIZATION_CODE');
    expect(await eventsOf('UserCreated')).toHaveLength(1);
  });

  test('finds a user created by a concurrent sign-in', async () => {
    const { signIn, codeFor, redeem, eventsOf } = await withProvider();
    const code = await codeFor(ann);
    const { userId } = await signIn(ann);
    expect(await redeem(code)).toMatchObject({ outcome: 'signed_in', userId, isNewUser: false });
    expect(await eventsOf('UserCreated')).toHaveLength(1);
  });
});

describe('a code that is presented again', () => {
  test('ends the session that it started', async () => {
    const { deps, codeFor, redeem, eventsOf } = await withProvider();
    const code = await codeFor(ann);
    const first = await redeem(code);
    if (first.outcome !== 'signed_in') throw new Error(first.outcome);
    expect(await isSessionAlive(deps, first.sessionId)).toBe(true);
    expect(await redeem(code)).toMatchObject({ outcome: 'replayed' });
    expect(await isSessionAlive(deps, first.sessionId)).toBe(false);
    expect((await eventsOf('SessionEnded'))[0]?.data.reason).toBe('code_replayed');
    expect(await redeem(code)).toMatchObject({ outcome: 'replayed', position: null });
  });

  test('ends the session even after the code expired and its key was destroyed', async () => {
    const { deps, clock, codeFor, redeem, eventsOf } = await withProvider();
    const code = await codeFor(ann);
    const first = await redeem(code);
    if (first.outcome !== 'signed_in') throw new Error(first.outcome);
    for (const { data } of await eventsOf('CodeIssued')) await deps.eraseSubject(data.subjectId);
    clock.advance(24 * 60 * 60_000);
    await redeem(code);
    expect(await isSessionAlive(deps, first.sessionId)).toBe(false);
  });

  test('without its verifier ends nothing', async () => {
    const { deps, codeFor, redeem } = await withProvider();
    const code = await codeFor(ann);
    const first = await redeem(code);
    if (first.outcome !== 'signed_in') throw new Error(first.outcome);
    await expectRejection(redeem(code, { verifier: 'a guess' }), 'INVALID_AUTHORIZATION_CODE');
    expect(await isSessionAlive(deps, first.sessionId)).toBe(true);
  });

  const totpSecret = Buffer.alloc(20, 1).toString('base64');
  const withAttempt = async () => {
    const world = await withSession({ totpSecret });
    const code = await world.codeFor(ann, { purpose: world.purpose });
    const rejected = await world.redeem(code).catch((error: { details: { attempt_code: string } }) => error);
    if (!('details' in rejected)) throw new Error('no second factor was asked for');
    const finish = () =>
      signInWithTotp(world.deps, world.ctx, { attemptCode: rejected.details.attempt_code, totp: '000100' });
    return { ...world, code, finish };
  };

  test('ends a pending second factor', async () => {
    const { code, redeem, finish } = await withAttempt();
    await redeem(code);
    await expectRejection(finish(), 'VERIFICATION_CODE_NOT_FOUND');
  });

  test('ends the session started by the second factor', async () => {
    const { deps, code, redeem, finish } = await withAttempt();
    const { sessionId } = await finish();
    expect(await isSessionAlive(deps, sessionId)).toBe(true);
    await redeem(code);
    expect(await isSessionAlive(deps, sessionId)).toBe(false);
  });
});
