import { describe, expect, test } from 'vitest';
import { signInWithPassword } from './password/password.ts';
import { deleteProject } from './project/delete-project.ts';
import { createProject } from './project/project.ts';
import { signUp, testProject } from './testing/people.ts';
import { contextOf, crashAfter, createWorld, expectRejection } from './testing/world.ts';
import { createUser } from './user/create-user.ts';
import { deleteUser } from './user/delete-user.ts';
import { updateUser } from './user/update-user.ts';

// A log that is not all or nothing (architecture §3) may keep only the first writes of an append when the process dies.
// After each such cut nobody is locked out for good, and no address has two owners.

const ctx = contextOf('shop');
const config = { credentialEnabled: true, signUpEnabled: true };
const credentials = (email: string) => ({ email, password: 'correct horse', config });
const email = 'ann@example.com';
const taken = ['USER_EMAIL_ALREADY_EXISTS', { email }] as const;
const died = 'the process died';

async function withAnn() {
  const world = await createWorld();
  return { ...world, ...(await signUp(world.deps, ctx, credentials(email))) };
}

describe('a sign-up interrupted', () => {
  test('before any write can be repeated immediately', async () => {
    const { deps } = await createWorld();
    await expect(signUp(crashAfter(0, deps), ctx, credentials(email))).rejects.toThrow(died);
    await signUp(deps, ctx, credentials(email));
  });

  test('after the reservation blocks the address for 60 s', async () => {
    const { deps, clock } = await createWorld();
    await expect(signUp(crashAfter(1, deps), ctx, credentials(email))).rejects.toThrow(died);
    await expectRejection(signInWithPassword(deps, ctx, credentials(email)), 'EMAIL_PASSWORD_MISMATCH');
    clock.advance(59_999);
    await expectRejection(signUp(deps, ctx, credentials(email)), ...taken);
    clock.advance(1);
    const { userId } = await signUp(deps, ctx, credentials(email));
    expect((await signInWithPassword(deps, ctx, credentials(email))).userId).toBe(userId);
  });

  test('after the user leaves a user who can sign in', async () => {
    const { deps } = await createWorld();
    await expect(signUp(crashAfter(2, deps), ctx, credentials(email))).rejects.toThrow(died);
    await signInWithPassword(deps, ctx, credentials(email));
    await expectRejection(signUp(deps, ctx, credentials(email)), ...taken);
  });
});

describe('a change of the email interrupted', () => {
  const other = 'new@example.com';
  const move = (deps: Parameters<typeof updateUser>[0], userId: string) =>
    updateUser(deps, ctx, { userId, project: testProject, primaryEmail: other });

  test('after the new reservation keeps the old address and frees the new one after 60 s', async () => {
    const { deps, clock, userId } = await withAnn();
    await expect(move(crashAfter(1, deps), userId)).rejects.toThrow(died);
    expect((await signInWithPassword(deps, ctx, credentials(email))).userId).toBe(userId);
    await expectRejection(signInWithPassword(deps, ctx, credentials(other)), 'EMAIL_PASSWORD_MISMATCH');
    clock.advance(60_000);
    const second = await signUp(deps, ctx, credentials(other));
    expect((await signInWithPassword(deps, ctx, credentials(other))).userId).toBe(second.userId);
  });

  test('after the new reservation can be repeated by the same user', async () => {
    const { deps, clock, userId } = await withAnn();
    await expect(move(crashAfter(1, deps), userId)).rejects.toThrow(died);
    await move(deps, userId);
    clock.advance(60_000);
    await expectRejection(signUp(deps, ctx, credentials(other)), 'USER_EMAIL_ALREADY_EXISTS', {
      email: other,
    });
  });

  test('after the user applies the new address; the old one signs nobody in and can be reserved', async () => {
    const { deps, clock, userId } = await withAnn();
    await expect(move(crashAfter(2, deps), userId)).rejects.toThrow(died);
    expect((await signInWithPassword(deps, ctx, credentials(other))).userId).toBe(userId);
    await expectRejection(signInWithPassword(deps, ctx, credentials(email)), 'EMAIL_PASSWORD_MISMATCH');
    clock.advance(60_000);
    const second = await signUp(deps, ctx, credentials(email));
    expect((await signInWithPassword(deps, ctx, credentials(email))).userId).toBe(second.userId);
  });

  test('after the user gives the old address to one of two concurrent users', async () => {
    const { deps, clock, userId, eventsOf } = await withAnn();
    await expect(move(crashAfter(2, deps), userId)).rejects.toThrow(died);
    clock.advance(60_000);
    const outcomes = await Promise.allSettled([
      updateUser(deps, ctx, { userId, project: testProject, primaryEmail: email }),
      signUp(deps, ctx, credentials(email)),
    ]);
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect((await eventsOf('ValueReserved')).length).toBe(3);
  });
});

describe('a deletion interrupted', () => {
  test('after the user frees its address immediately', async () => {
    const { deps, userId } = await withAnn();
    await expect(deleteUser(crashAfter(1, deps), ctx, { userId })).rejects.toThrow(died);
    await expectRejection(signInWithPassword(deps, ctx, credentials(email)), 'EMAIL_PASSWORD_MISMATCH');
    await signUp(deps, ctx, credentials(email));
  });

  const beforeErasure = () => Promise.reject(new Error(died));

  test('before the erasure is completed by a second deletion, which is rejected', async () => {
    const { deps, eventsOf } = await createWorld();
    const { userId } = await createUser(deps, ctx, { project: testProject, displayName: 'Ann' });
    await expect(deleteUser({ ...deps, eraseSubject: beforeErasure }, ctx, { userId })).rejects.toThrow(died);
    expect((await eventsOf('UserCreated'))[0]?.data.displayName).toBe('Ann');
    await expectRejection(deleteUser(deps, contextOf('bar'), { userId }), 'USER_NOT_FOUND');
    expect((await eventsOf('UserCreated'))[0]?.data.displayName).toBe('Ann');
    await expectRejection(deleteUser(deps, ctx, { userId }), 'USER_NOT_FOUND');
    expect((await eventsOf('UserCreated'))[0]?.data.displayName).toBeNull();
  });

  test('of a project is completed by a second deletion', async () => {
    const { deps, eventsOf } = await createWorld();
    const secret = { oauthClientSecrets: { github: 'client secret' } };
    const github = { id: 'github', type: 'standard', clientId: 'id' } as const;
    const input = { displayName: 'Shop', ownerUserId: deps.newId(), config: { oauthProviders: [github] } };
    const made = [await createProject(deps, ctx, { ...input, secrets: secret }), await createProject(deps, ctx, input)];
    const dying = { ...deps, eraseSubject: beforeErasure };
    const secrets = async () => (await eventsOf('ProjectCreated')).map(({ data }) => data.secrets);
    for (const { projectId } of made) {
      await expect(deleteProject(dying, contextOf(projectId))).rejects.toThrow(died);
    }
    expect((await secrets())[0]).toMatchObject(secret);
    const shop = contextOf(made[0]?.projectId ?? '');
    await expectRejection(deleteProject(deps, shop), 'PROJECT_NOT_FOUND', { project_id: shop.projectId });
    expect((await secrets())[0]).toBeNull();
    expect((await secrets())[1]).not.toBeNull();
  });
});
