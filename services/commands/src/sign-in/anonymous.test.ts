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

test('an anonymous user has a name, a session and nothing else, where the project allows it', async () => {
  const { deps, nobody } = await withNobody();
  expect(nobody.user).toMatchObject({ displayName: 'Anonymous user', isAnonymous: true, channels: [] });
  expect(await isSessionAlive(deps, nobody.sessionId)).toBe(true);
  const off = signUpAnonymously(deps, ctx, { ...testProject, settings: { anonymousSignUpEnabled: false } });
  await expectRejection(off, 'ANONYMOUS_ACCOUNTS_NOT_ENABLED');
});

test('signing up by password keeps the id and ends what was signed in before', async () => {
  const { deps, nobody, eventsOf } = await withNobody();
  const signedUp = await signUp(deps, ctx, { ...ann, anonymousUserId: nobody.userId });
  expect(signedUp).toMatchObject({ userId: nobody.userId, user: { isAnonymous: false, displayName: null } });
  expect(await isSessionAlive(deps, nobody.sessionId)).toBe(false);
  expect(await isSessionAlive(deps, signedUp.sessionId)).toBe(true);
  expect(await eventsOf('UserCreated')).toHaveLength(1);
  expect((await signInWithPassword(deps, ctx, { ...ann, config })).userId).toBe(nobody.userId);
});

test('signing up by e-mail code does too; signing in to somebody else does not', async () => {
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

test('who is no longer anonymous, or of another project, becomes a second user', async () => {
  const { deps, nobody } = await withNobody();
  await signUp(deps, ctx, { ...ann, anonymousUserId: nobody.userId });
  const second = await signUp(deps, ctx, { ...ann, email: 'bob@example.com', anonymousUserId: nobody.userId });
  expect(second.userId).not.toBe(nobody.userId);
  const other = await signUpAnonymously(deps, contextOf('bar'), open);
  const third = await signUp(deps, ctx, { ...ann, email: 'eve@example.com', anonymousUserId: other.userId });
  expect(third.userId).not.toBe(other.userId);
});

test('two sign-ups of one anonymous user at once leave one address and one user with that id', async () => {
  const { deps, nobody, eventsOf } = await withNobody();
  const both = await Promise.all(
    ['ann', 'bob'].map((name) =>
      signUp(deps, ctx, { ...ann, email: `${name}@example.com`, anonymousUserId: nobody.userId }),
    ),
  );
  expect(both.filter(({ userId }) => userId === nobody.userId)).toHaveLength(1);
  expect(await eventsOf('UserUpgraded')).toHaveLength(1);
});
