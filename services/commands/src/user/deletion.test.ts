import { describe, expect, test } from 'vitest';
import { transact } from '../execute.ts';
import { signInWithPassword } from '../password/password.ts';
import { deleteProject } from '../project/delete-project.ts';
import { createProject } from '../project/project.ts';
import { reserveEmail } from '../reservation/email.ts';
import { createSession } from '../session/session.ts';
import { isSessionAlive } from '../testing/liveness.ts';
import { signUp, testProject } from '../testing/people.ts';
import { contextOf, createWorld, expectRejection } from '../testing/world.ts';
import { createUser } from './create-user.ts';
import { deleteUser, eraseDueUser, eraseUser, restoreUser } from './delete-user.ts';
import { isUserActive } from './load-user.ts';
import { updateUser } from './update-user.ts';

const ctx = contextOf('shop');
const email = 'ann@example.com';
const password = 'correct horse';
const dayMs = 86_400_000;
const config = { credentialEnabled: true, signUpEnabled: true };
const credentials = { email, password, config };

async function withDeleted(by: 'server' | 'user' = 'server') {
  const world = await createWorld();
  const { deps } = world;
  const { userId } = await signUp(deps, ctx, credentials);
  const session = await createSession(deps, ctx, { userId });
  await deleteUser(deps, { ...ctx, actor: { kind: by, id: userId } }, { userId, graceDays: 30 });
  return { ...world, userId, session, signUpAgain: () => signUp(deps, ctx, credentials) };
}

describe('a user who awaits deletion', () => {
  test('has no sessions, can’t sign in and can’t be changed or deleted again', async () => {
    const { deps, userId, session } = await withDeleted();
    expect(await isSessionAlive(deps, session.sessionId)).toBe(false);
    await expectRejection(signInWithPassword(deps, ctx, credentials), 'EMAIL_PASSWORD_MISMATCH');
    await expectRejection(updateUser(deps, ctx, { userId, project: testProject, displayName: 'x' }), 'USER_NOT_FOUND');
    await expectRejection(deleteUser(deps, ctx, { userId, graceDays: 30 }), 'USER_NOT_FOUND');
    await expectRejection(deleteUser(deps, ctx, { userId }), 'USER_NOT_FOUND');
  });

  test('keeps the address from others, who get the error of an address in use', async () => {
    const { deps, signUpAgain } = await withDeleted();
    await expectRejection(signUpAgain(), 'USER_EMAIL_ALREADY_EXISTS', { email });
    const primary = { primaryEmail: email, primaryEmailAuthEnabled: true };
    await expectRejection(createUser(deps, ctx, { project: testProject, ...primary }), 'USER_EMAIL_ALREADY_EXISTS', {
      email,
    });
  });

  test('keeps the address without hashing the password of the other, as an active user does', async () => {
    const { deps, hasher, userId, signUpAgain } = await withDeleted();
    const before = hasher.hashed.length;
    await expectRejection(signUpAgain(), 'USER_EMAIL_ALREADY_EXISTS', { email });
    await restoreUser(deps, ctx, { userId });
    await expectRejection(signUpAgain(), 'USER_EMAIL_ALREADY_EXISTS', { email });
    expect(hasher.hashed).toHaveLength(before);
  });

  test('gives an unverified address to its owner, and is restored without it', async () => {
    const { deps, userId } = await withDeleted();
    await transact(deps, ctx, (work) =>
      reserveEmail(work, { email, isVerified: true, holderId: deps.newId(), at: deps.now() }),
    );
    await restoreUser(deps, ctx, { userId });
    await expectRejection(signInWithPassword(deps, ctx, credentials), 'EMAIL_PASSWORD_MISMATCH');
    expect(await isUserActive(deps, userId)).toBe(true);
  });
});

describe('restoring', () => {
  test('lets the user sign in again, with no earlier session', async () => {
    const { deps, userId, session } = await withDeleted();
    await restoreUser(deps, ctx, { userId });
    expect((await signInWithPassword(deps, ctx, credentials)).userId).toBe(userId);
    expect(await isSessionAlive(deps, session.sessionId)).toBe(false);
  });

  test('twice, or a user who was never deleted, changes nothing', async () => {
    const { deps, userId } = await withDeleted();
    await restoreUser(deps, ctx, { userId });
    expect(await restoreUser(deps, ctx, { userId })).toEqual({ position: null });
  });

  test('is rejected in another project and after the erasure', async () => {
    const { deps, userId } = await withDeleted();
    await expectRejection(restoreUser(deps, contextOf('bar'), { userId }), 'USER_NOT_FOUND');
    await eraseUser(deps, ctx, { userId });
    await expectRejection(restoreUser(deps, ctx, { userId }), 'USER_NOT_FOUND');
  });

  test('and erasing at once end in one of both', async () => {
    for (let round = 0; round < 10; round += 1) {
      const { deps, userId, eventsOf } = await withDeleted();
      const [restored] = await Promise.allSettled([
        restoreUser(deps, ctx, { userId }),
        eraseUser(deps, ctx, { userId }),
      ]);
      const last = (await deps.store.readStream(`user-${userId}`)).events.at(-1);
      expect(last?.type).toBe('UserDeleted');
      expect(await eventsOf('UserDeletionCanceled')).toHaveLength(restored.status === 'fulfilled' ? 1 : 0);
    }
  });
});

describe('erasing', () => {
  test('ends the reservation, so that the address is free', async () => {
    const { deps, userId, signUpAgain } = await withDeleted();
    await eraseUser(deps, ctx, { userId });
    expect((await signUpAgain()).userId).not.toBe(userId);
  });

  test('by the worker waits for the end of the grace period', async () => {
    const { deps, clock, userId } = await withDeleted();
    clock.advance(30 * dayMs - 1);
    await expectRejection(eraseDueUser(deps, ctx, { userId }), 'USER_NOT_FOUND');
    clock.advance(1);
    await eraseDueUser(deps, ctx, { userId });
    await expectRejection(restoreUser(deps, ctx, { userId }), 'USER_NOT_FOUND');
  });

  test('by the worker spares a user who was restored', async () => {
    const { deps, clock, userId } = await withDeleted();
    await restoreUser(deps, ctx, { userId });
    clock.advance(90 * dayMs);
    await expectRejection(eraseDueUser(deps, ctx, { userId }), 'USER_NOT_FOUND');
    expect(await isUserActive(deps, userId)).toBe(true);
  });

  test.each([
    { by: 'server' as const, erased: 1 },
    // An unverified address may belong to a stranger.
    { by: 'user' as const, erased: 0 },
  ])('concerns the unverified addresses of a user deleted by a $by: $erased', async ({ by, erased }) => {
    const { deps, userId, eventsOf } = await withDeleted(by);
    await eraseUser(deps, { ...ctx, actor: { kind: 'system', id: null } }, { userId });
    expect(await eventsOf('AddressErased')).toHaveLength(erased);
  });

  test('is rejected once the project is deleted, and so is restoring', async () => {
    const { deps, ctx: owner, projectId, userId } = await inDeletedProject();
    await expectRejection(restoreUser(deps, owner, { userId }), 'PROJECT_NOT_FOUND', { project_id: projectId });
    await expectRejection(eraseUser(deps, owner, { userId }), 'PROJECT_NOT_FOUND', { project_id: projectId });
  });
});

async function inDeletedProject() {
  const world = await createWorld();
  const { deps } = world;
  const internal = contextOf('internal');
  const { userId: ownerUserId } = await createUser(deps, internal, { project: testProject });
  const { projectId } = await createProject(deps, internal, { displayName: 'Gone', ownerUserId });
  const of = contextOf(projectId);
  const { userId } = await signUp(deps, of, credentials);
  await deleteUser(deps, of, { userId, graceDays: 1 });
  await deleteProject(deps, of);
  return { ...world, ctx: of, projectId, userId };
}
