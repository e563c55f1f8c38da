import { userDecider } from '@gatebook/domain/user/decide';
import { beforeEach, expect, test } from 'vitest';
import { transact } from '../execute.ts';
import { createProject, decideOnProject, findActiveProject } from '../project/project.ts';
import { findSignInUser } from '../reservation/email.ts';
import { isSessionAlive } from '../session/liveness.ts';
import { createSession } from '../session/session.ts';
import { testProject } from '../testing/people.ts';
import { contextOf, createWorld, expectRejection, type World } from '../testing/world.ts';
import { createUser } from '../user/create-user.ts';
import { decideOnUser } from '../user/decide-on-user.ts';
import type { FormerUser } from './former-system.ts';
import { signInWithPassword } from './password.ts';

let world: World;
let projectId: string;
let asked: string[];
let imitated: number;
let answer: FormerUser | null;
const email = 'ann@example.com';
const signIn = (password: string) =>
  signInWithPassword(world.deps, contextOf(projectId), { email, password, config: testProject.config });
const isRejected = (password: string) => expectRejection(signIn(password), 'EMAIL_PASSWORD_MISMATCH');
const addUser = (fields: object) =>
  createUser(world.deps, contextOf(projectId), {
    primaryEmail: email,
    primaryEmailAuthEnabled: true,
    project: testProject,
    ...fields,
  });

beforeEach(async () => {
  world = await createWorld();
  [asked, imitated, answer] = [[], 0, { isEmailVerified: true, displayName: 'Ann' }];
  world.deps.formerSystem = {
    check: async (_target, { password }) => {
      asked.push(password);
      return password === 'former' ? answer : null;
    },
    imitate: async () => {
      imitated += 1;
    },
  };
  const owner = { displayName: 'Shop', ownerUserId: world.deps.newId() };
  ({ projectId } = await createProject(world.deps, contextOf('internal'), owner));
  await setMigration({ url: 'https://former.example/check', secret: 'whsec_x' });
});
const setMigration = (migration: { url: string; secret: string } | null) =>
  decideOnProject(world.deps, contextOf(projectId), [
    { type: 'ChangePasswordMigration', migration, at: world.deps.now() },
  ]);

test('an unknown user signs in with the password of the former system, and later without it', async () => {
  const { userId } = await signIn('former');
  const { state } = await world.deps.store.foldStream(`user-${userId}`, userDecider);
  expect(state).toMatchObject({ displayName: 'Ann', channels: [{ value: email, isVerified: true }] });
  expect((await signIn('former')).userId).toBe(userId);
  expect(asked).toEqual(['former']);
});

test('a password that the former system rejects is wrong', async () => {
  await isRejected('wrong');
  expect(await findSignInUser(world.deps, projectId, email)).toBeNull();
});

test('a user who was imported without a password gets it', async () => {
  answer = { isEmailVerified: false };
  const { userId } = await addUser({});
  expect((await signIn('former')).userId).toBe(userId);
  expect((await signIn('former')).userId).toBe(userId);
});

test('a wrong password of a known user is not sent away, but takes as long', async () => {
  await addUser({ password: 'known password' });
  await isRejected('former');
  expect(asked).toEqual([]);
  expect(imitated).toBe(1);
});

test('an address that only one side has verified does not join two accounts', async () => {
  answer = { isEmailVerified: false };
  await addUser({ primaryEmailVerified: true, otpAuthEnabled: false });
  await isRejected('former');
});

test('an account that somebody signs in to with an unverified address is not taken over', async () => {
  await addUser({
    otpAuthEnabled: true,
    project: { ...testProject, config: { ...testProject.config, magicLinkEnabled: true } },
  });
  await isRejected('former');
});

test('sessions of a user with an unverified address end', async () => {
  const { userId } = await addUser({});
  const before = await createSession(world.deps, contextOf(projectId), { userId });
  const { sessionId } = await signIn('former');
  expect(await isSessionAlive(world.deps, before.sessionId)).toBe(false);
  expect(await isSessionAlive(world.deps, sessionId)).toBe(true);
});

test('an anonymous user who added the address loses it to its owner', async () => {
  const { userId: anonymousId } = await addUser({ isAnonymous: true });
  const { userId } = await signIn('former');
  expect(userId).not.toBe(anonymousId);
  expect((await signIn('former')).userId).toBe(userId);
  const stateOf = async (id: string) => (await world.deps.store.foldStream(`user-${id}`, userDecider)).state;
  expect(await stateOf(userId)).toMatchObject({ isAnonymous: false, channels: [{ value: email, isVerified: true }] });
  expect(await stateOf(anonymousId)).toMatchObject({ hasPassword: false, channels: [{ usedForAuth: false }] });
});

test('an anonymous user keeps an address that the former system has not verified, without its password', async () => {
  answer = { isEmailVerified: false };
  const { userId } = await addUser({ isAnonymous: true });
  await isRejected('former');
  expect((await findSignInUser(world.deps, projectId, email))?.user).toMatchObject({ userId, hasPassword: false });
});

test.each([
  ['unknown', async () => {}],
  ['imported', async () => void (await addUser({}))],
])('parallel first sign-ins of an %s user all succeed', async (_, prepare) => {
  answer = { isEmailVerified: false };
  await prepare();
  const signedIn = await Promise.all([1, 2, 3].map(() => signIn('former')));
  expect(new Set(signedIn.map(({ userId }) => userId)).size).toBe(1);
  for (const { sessionId } of signedIn) expect(await isSessionAlive(world.deps, sessionId)).toBe(true);
});

test('an unverified address besides a verified one does not get the password', async () => {
  const other = { value: 'eve@example.com', isVerified: true, usedForAuth: true };
  await addUser({ otherEmails: [other] });
  await isRejected('former');
});

test('a password that was removed does not come back', async () => {
  const { userId } = await addUser({ primaryEmailVerified: true, password: 'known password' });
  const at = world.deps.now();
  const remove = { type: 'SetPasswordByServer', passwordHash: null, isMethodOn: true, at } as const;
  await transact(world.deps, contextOf(projectId), (work) => decideOnUser(work, { userId, commands: [remove], at }));
  await isRejected('former');
});

test('a user who changes during the check does not get the password', async () => {
  const { userId } = await addUser({});
  const { formerSystem } = world.deps;
  const at = world.deps.now();
  const rename = { type: 'RenameUser', displayName: 'Eve', at } as const;
  world.deps.formerSystem = {
    imitate: async () => {},
    check: async (...given) => {
      await transact(world.deps, contextOf(projectId), (work) =>
        decideOnUser(work, { userId, commands: [rename], at }),
      );
      return formerSystem?.check(...given) ?? null;
    },
  };
  await isRejected('former');
});

test('the ID of the former system is kept unless it is taken', async () => {
  const id = world.deps.newId();
  answer = { isEmailVerified: true, id };
  expect((await signIn('former')).userId).toBe(id);
  const other = { email: 'bo@example.com', password: 'former', config: testProject.config };
  await expectRejection(signInWithPassword(world.deps, contextOf(projectId), other), 'EMAIL_PASSWORD_MISMATCH');
});

test('without a former system, unknown users are rejected', async () => {
  await setMigration(null);
  expect((await findActiveProject(world.deps, projectId))?.passwordMigration).toBeNull();
  await isRejected('former');
  expect(asked).toEqual([]);
});
