import { expect, test } from 'vitest';
import { signInWithPassword } from '../password/password.ts';
import { isSessionAlive } from '../testing/liveness.ts';
import { lastMail } from '../testing/mailbox.ts';
import { callbackUrl, signUp, testProject } from '../testing/people.ts';
import { contextOf, createWorld, expectRejection } from '../testing/world.ts';
import { signUpAnonymously } from './anonymous.ts';
import { sendSignInCode, signInWithCode } from './sign-in-code.ts';

const ctx = contextOf('shop');
const { config } = testProject;
const open = { ...testProject, settings: { anonymousSignUpEnabled: true } };
const ann = { email: 'ann@example.com', password: 'correct horse' };

async function withNobody() {
  const world = await createWorld();
  return { ...world, nobody: await signUpAnonymously(world.deps, ctx, open) };
}

test('an anonymous user has only a name and a session, if the project allows it', async () => {
  const { deps, nobody } = await withNobody();
  expect(nobody.user).toMatchObject({ displayName: 'Anonymous user', isAnonymous: true, channels: [] });
  expect(await isSessionAlive(deps, nobody.sessionId)).toBe(true);
  const off = signUpAnonymously(deps, ctx, { ...testProject, settings: { anonymousSignUpEnabled: false } });
  await expectRejection(off, 'ANONYMOUS_ACCOUNTS_NOT_ENABLED');
});

test('an anonymous user who signs up with a password keeps the ID and loses earlier sessions', async () => {
  const { deps, nobody, eventsOf } = await withNobody();
  const signedUp = await signUp(deps, ctx, { ...ann, anonymousUserId: nobody.userId });
  expect(signedUp).toMatchObject({ userId: nobody.userId, user: { isAnonymous: false, displayName: null } });
  expect(await isSessionAlive(deps, nobody.sessionId)).toBe(false);
  expect(await isSessionAlive(deps, signedUp.sessionId)).toBe(true);
  expect(await eventsOf('UserCreated')).toHaveLength(1);
  expect((await signInWithPassword(deps, ctx, { ...ann, config })).userId).toBe(nobody.userId);
});

test('an anonymous user who signs up with a code keeps the ID; signing in as another user does not affect it', async () => {
  const { deps, nobody, eventsOf } = await withNobody();
  const redeem = async (anonymousUserId: string) => {
    await sendSignInCode(deps, ctx, { email: ann.email, callbackUrl, project: testProject });
    return signInWithCode(deps, ctx, {
      code: (await lastMail({ eventsOf })).code,
      project: testProject,
      anonymousUserId,
    });
  };
  expect(await redeem(nobody.userId)).toMatchObject({ userId: nobody.userId, isNewUser: true });
  const other = await signUpAnonymously(deps, ctx, open);
  expect(await redeem(other.userId)).toMatchObject({ userId: nobody.userId, isNewUser: false });
  expect(await isSessionAlive(deps, other.sessionId)).toBe(true);
});

test('a user who is not anonymous, or of another project, is not upgraded', async () => {
  const { deps, nobody } = await withNobody();
  await signUp(deps, ctx, { ...ann, anonymousUserId: nobody.userId });
  const second = await signUp(deps, ctx, { ...ann, email: 'bob@example.com', anonymousUserId: nobody.userId });
  expect(second.userId).not.toBe(nobody.userId);
  const other = await signUpAnonymously(deps, contextOf('bar'), open);
  const third = await signUp(deps, ctx, { ...ann, email: 'eve@example.com', anonymousUserId: other.userId });
  expect(third.userId).not.toBe(other.userId);
});

test('two concurrent sign-ups of one anonymous user leave one address and one user with that ID', async () => {
  const { deps, nobody, eventsOf } = await withNobody();
  const both = await Promise.all(
    ['ann', 'bob'].map((name) =>
      signUp(deps, ctx, { ...ann, email: `${name}@example.com`, anonymousUserId: nobody.userId }),
    ),
  );
  expect(both.filter(({ userId }) => userId === nobody.userId)).toHaveLength(1);
  expect(await eventsOf('UserUpgraded')).toHaveLength(1);
});
