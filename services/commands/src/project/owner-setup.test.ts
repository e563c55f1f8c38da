import { projectDecider } from '@gatebook/domain/project/decide';
import { describe, expect, test } from 'vitest';
import { readState } from '../execute.ts';
import { signInWithPassword } from '../password/password.ts';
import { streamOf } from '../streams.ts';
import { isSessionAlive } from '../testing/liveness.ts';
import { signUp, testProject } from '../testing/people.ts';
import { contextOf, createWorld, expectRejection } from '../testing/world.ts';
import { createUser } from '../user/create-user.ts';
import { deleteUser, restoreUser } from '../user/delete-user.ts';
import { completeOwnerSetup, isOwnerSetupOpen, issueOwnerSetup } from './owner-setup.ts';
import { addOwner } from './project.ts';
import { seedInternalProject, startContext } from './seed.ts';

const ctx = contextOf('internal');
const config = { credentialEnabled: true, signUpEnabled: true };
const keys = { publishableClientKey: 'pck_one', secretServerKey: 'ssk_one', superSecretAdminKey: 'sak_one' };
const ann = { email: 'ann@example.com', password: 'correct horse', displayName: 'Ann' };

async function seeded() {
  const world = await createWorld();
  await seedInternalProject(world.deps, { keys, isSignUpOpen: false, dashboardUrl: 'http://localhost:8102' });
  const newToken = async () => (await issueOwnerSetup(world.deps))?.token ?? expect.fail('no token was made');
  const complete = (input: { token: string } & Partial<typeof ann>) =>
    completeOwnerSetup(world.deps, ctx, { ...ann, ...input });
  return { ...world, newToken, complete };
}

describe('the setup link', () => {
  test('creates a signed-in user of internal who owns internal', async () => {
    const { deps, newToken, complete, typesAfter, eventsOf } = await seeded();
    const token = await newToken();
    const head = await deps.store.head();
    const owner = await complete({ token });
    expect(await typesAfter(head)).toEqual([
      ...['CodeAttempted', 'CodeUsed', 'ProjectOwnerAdded', 'ValueReserved', 'UserCreated', 'ContactChannelAdded'],
      ...['UserPasswordSet', 'SessionStarted'],
    ]);
    expect((await eventsOf('UserCreated'))[0]?.data).toMatchObject({ displayName: 'Ann', method: 'setup' });
    expect((await eventsOf('ProjectOwnerAdded'))[0]?.data).toMatchObject({
      projectId: 'internal',
      userId: owner.userId,
    });
    expect(await isSessionAlive(deps, owner.sessionId)).toBe(true);
    expect(owner.position).toBe(await deps.store.head());
    expect((await signInWithPassword(deps, ctx, { ...ann, config })).userId).toBe(owner.userId);
  });

  test('is issued neither before internal exists nor while there is an owner', async () => {
    expect(await issueOwnerSetup((await createWorld()).deps)).toBeNull();
    const { deps, newToken, complete } = await seeded();
    await complete({ token: await newToken() });
    expect(await issueOwnerSetup(deps)).toBeNull();
  });

  test('works once, even if several were issued', async () => {
    const { deps, newToken, complete } = await seeded();
    const [first, second] = [await newToken(), await newToken()];
    await complete({ token: first });
    const bob = { email: 'bob@example.com' };
    await expectRejection(complete({ token: first, ...bob }), 'VERIFICATION_CODE_ALREADY_USED');
    // Checked first: neither password nor email matters any more.
    await expectRejection(complete({ token: second, password: 'short' }), 'SETUP_ALREADY_COMPLETED');
    await expectRejection(complete({ token: second, ...bob }), 'SETUP_ALREADY_COMPLETED');
    await expectRejection(signInWithPassword(deps, ctx, { ...ann, ...bob, config }), 'EMAIL_PASSWORD_MISMATCH');
  });

  test('rejects a bad token, password or email and is used up only by token errors', async () => {
    const { deps, clock, newToken, complete } = await seeded();
    const token = await newToken();
    await signUp(deps, ctx, { ...ann, email: 'bob@example.com', config });
    await expectRejection(complete({ token: deps.randomCode() }), 'VERIFICATION_CODE_NOT_FOUND');
    await expectRejection(complete({ token, password: '1234567' }), 'PASSWORD_TOO_SHORT', { min_length: 8 });
    await expectRejection(complete({ token, password: 'x'.repeat(71) }), 'PASSWORD_TOO_LONG', { maxLength: 70 });
    const bob = { email: 'bob@example.com' };
    await expectRejection(complete({ token, ...bob }), 'USER_EMAIL_ALREADY_EXISTS', bob);
    await expectRejection(completeOwnerSetup(deps, contextOf('shop'), { ...ann, token }), 'EXPECTED_INTERNAL_PROJECT');
    clock.advance(24 * 3_600_000);
    await expectRejection(complete({ token }), 'VERIFICATION_CODE_EXPIRED');
    await complete({ token: await newToken() });
  });

  test('can be checked any number of times without an event', async () => {
    const { deps, clock, newToken, complete } = await seeded();
    const token = await newToken();
    const head = await deps.store.head();
    for (let nth = 0; nth < 25; nth += 1) expect(await isOwnerSetupOpen(deps, token)).toBe(true);
    expect(await isOwnerSetupOpen(deps, deps.randomCode())).toBe(false);
    expect(await deps.store.head()).toBe(head);
    clock.advance(24 * 3_600_000);
    expect(await isOwnerSetupOpen(deps, token)).toBe(false);
    const [used, other] = [await newToken(), await newToken()];
    const owner = await complete({ token: used });
    expect([await isOwnerSetupOpen(deps, used), await isOwnerSetupOpen(deps, other)]).toEqual([false, false]);
    await deleteUser(deps, ctx, owner);
    expect([await isOwnerSetupOpen(deps, used), await isOwnerSetupOpen(deps, other)]).toEqual([false, true]);
  });

  test('is issued again when every owner is deleted, and deleted owners are removed', async () => {
    const { deps, newToken, complete, eventsOf } = await seeded();
    const first = await complete({ token: await newToken() });
    const second = await createUser(deps, ctx, { project: testProject });
    await addOwner(deps, startContext(deps), second);
    await deleteUser(deps, ctx, first);
    expect(await issueOwnerSetup(deps)).toBeNull();
    await deleteUser(deps, ctx, second);
    const third = await complete({ token: await newToken() });
    const owners = (type: 'ProjectOwnerAdded' | 'ProjectOwnerRemoved') => eventsOf(type);
    expect((await owners('ProjectOwnerRemoved')).map(({ data }) => data.userId)).toEqual([first.userId, second.userId]);
    expect((await owners('ProjectOwnerAdded')).at(-1)?.data.userId).toBe(third.userId);
    expect(await issueOwnerSetup(deps)).toBeNull();
  });

  test('adds an owner beside one who awaits deletion, once; after a restore, both are owners', async () => {
    const { deps, newToken, complete, eventsOf } = await seeded();
    const first = await complete({ token: await newToken() });
    await deleteUser(deps, ctx, { ...first, graceDays: 30 });
    const [token, other] = [await newToken(), await newToken()];
    const second = await complete({ token, email: 'bob@example.com' });
    await expectRejection(complete({ token: other, email: 'eve@example.com' }), 'SETUP_ALREADY_COMPLETED');
    await restoreUser(deps, ctx, first);
    const { state } = await readState(deps.store, projectDecider, streamOf.project('internal'));
    expect(state.status === 'active' && [...state.owners.keys()]).toEqual([first.userId, second.userId]);
    expect(await eventsOf('ProjectOwnerRemoved')).toEqual([]);
  });
});
