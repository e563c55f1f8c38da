import { describe, expect, test } from 'vitest';
import { signInWithPassword } from '../password/password.ts';
import { createSession } from '../session/session.ts';
import { isSessionAlive } from '../testing/liveness.ts';
import { signUp, testProject } from '../testing/people.ts';
import { contextOf, createWorld, expectRejection } from '../testing/world.ts';
import { createUser } from './create-user.ts';
import { deleteUser } from './delete-user.ts';
import { updateUser } from './update-user.ts';
import type { UserInput } from './user-input.ts';

const ctx = contextOf('shop');
const project = testProject;
const allOff = { ...project, config: { ...project.config, credentialEnabled: false, magicLinkEnabled: false } };
const config = { credentialEnabled: true, signUpEnabled: true };
const email = 'ann@example.com';
const signInUser = { project, primaryEmail: email, primaryEmailAuthEnabled: true };
const taken = (address: string) => ['USER_EMAIL_ALREADY_EXISTS', { email: address }] as const;

async function withUser(input: UserInput = { primaryEmail: email, primaryEmailAuthEnabled: true }) {
  const world = await createWorld();
  const { userId } = await createUser(world.deps, ctx, { project, ...input });
  const update = (change: UserInput, as = project) => updateUser(world.deps, ctx, { userId, project: as, ...change });
  return { ...world, userId, update };
}

describe('creating a user as a server', () => {
  test('works without any fields', async () => {
    const { deps, eventsOf, typesAfter } = await createWorld();
    const { userId, position } = await createUser(deps, ctx, { project, displayName: '' });
    expect(await typesAfter(0n)).toEqual(['UserCreated']);
    expect(position).toBe(1n);
    const profile = { displayName: null, profileImageUrl: null, isAnonymous: false, method: 'server' };
    const metadata = { clientMetadata: null, clientReadOnlyMetadata: null, serverMetadata: null };
    expect((await eventsOf('UserCreated'))[0]?.data).toMatchObject({
      userId,
      projectId: 'shop',
      ...profile,
      ...metadata,
    });
  });

  test('works with all fields', async () => {
    const { deps, eventsOf, typesAfter } = await createWorld();
    const profile = { displayName: 'Ann', profileImageUrl: 'https://x.example/a.png', isAnonymous: true };
    const metadata = { clientMetadata: { a: 1 }, clientReadOnlyMetadata: [2], serverMetadata: 'x' };
    const signIn = { ...signInUser, primaryEmailVerified: true, password: 'short', otpAuthEnabled: true };
    await createUser(deps, ctx, { ...profile, ...metadata, ...signIn });
    expect(await typesAfter(0n)).toEqual([
      ...['ValueReserved', 'UserCreated', 'ContactChannelAdded', 'UserPasswordSet', 'OtpAuthChanged'],
    ]);
    expect((await eventsOf('UserCreated'))[0]?.data).toMatchObject({ ...profile, ...metadata });
    const channel = { value: email, isPrimary: true, isVerified: true, usedForAuth: true };
    expect((await eventsOf('ContactChannelAdded'))[0]?.data).toMatchObject(channel);
    expect((await signInWithPassword(deps, ctx, { email, password: 'short', config })).userId).toBeTruthy();
  });

  test('checks password length, flags, email and methods in this order and appends nothing when rejected', async () => {
    const { deps } = await withUser();
    const head = await deps.store.head();
    const create = (input: Parameters<typeof createUser>[2]) => createUser(deps, ctx, input);
    const long = 'x'.repeat(71);
    const flags = { primaryEmailVerified: true, project: allOff };
    await expectRejection(create({ ...flags, password: long }), 'PASSWORD_TOO_LONG', { maxLength: 70 });
    await expectRejection(create({ ...flags, password: 'x' }), 'EMAIL_FLAG_WITHOUT_EMAIL');
    await expectRejection(create({ project: allOff, primaryEmailAuthEnabled: true }), 'EMAIL_FLAG_WITHOUT_EMAIL');
    await expectRejection(create({ ...signInUser, project: allOff, password: 'x' }), ...taken(email));
    await expectRejection(create({ project: allOff, password: 'x', otpAuthEnabled: true }), 'PASSWORD_METHOD_DISABLED');
    await expectRejection(create({ project: allOff, otpAuthEnabled: true }), 'OTP_METHOD_DISABLED');
    expect(await deps.store.head()).toBe(head);
  });

  test('allows an address that another user signs in with if this user does not', async () => {
    const { deps, eventsOf } = await withUser();
    await createUser(deps, ctx, { project, primaryEmail: email });
    expect(await eventsOf('UserCreated')).toHaveLength(2);
    expect(await eventsOf('ValueReserved')).toHaveLength(1);
  });
});

describe('an update', () => {
  test('changes the given fields in one append', async () => {
    const { deps, update, typesAfter, eventsOf } = await withUser();
    const head = await deps.store.head();
    const profile = { displayName: '', profileImageUrl: null, clientMetadata: { a: 1 } };
    await update({ ...profile, clientReadOnlyMetadata: null, serverMetadata: [1], otpAuthEnabled: true });
    expect(await typesAfter(head)).toEqual([
      ...['UserRenamed', 'UserImageChanged', 'UserMetadataChanged', 'UserMetadataChanged', 'UserMetadataChanged'],
      'OtpAuthChanged',
    ]);
    expect((await eventsOf('UserRenamed'))[0]?.data.displayName).toBeNull();
    const metadata = (await eventsOf('UserMetadataChanged')).map(({ data }) => [data.scope, data.value]);
    expect(metadata).toEqual([
      ['client', { a: 1 }],
      ['client_read_only', null],
      ['server', [1]],
    ]);
  });

  test('without fields appends nothing but requires the user', async () => {
    const { deps, update } = await withUser();
    expect((await update({})).position).toBeNull();
    const unknown = { userId: deps.newId(), project };
    await expectRejection(updateUser(deps, ctx, unknown), 'USER_NOT_FOUND');
  });

  test('of a user who is unknown, deleted or of another project is rejected before hashing', async () => {
    const { deps, hasher, userId, update } = await withUser();
    const change = { project, password: 'new password' };
    await expectRejection(updateUser(deps, ctx, { userId: deps.newId(), ...change }), 'USER_NOT_FOUND');
    await expectRejection(updateUser(deps, contextOf('bar'), { userId, ...change }), 'USER_NOT_FOUND');
    await deleteUser(deps, ctx, { userId });
    await expectRejection(update({ password: 'new password' }), 'USER_NOT_FOUND');
    expect(hasher.hashed).toEqual([]);
  });

  test('is rejected as a whole by one rejection', async () => {
    const { deps, update } = await withUser();
    const head = await deps.store.head();
    await expectRejection(update({ displayName: 'Ann', otpAuthEnabled: true }, allOff), 'OTP_METHOD_DISABLED');
    expect(await deps.store.head()).toBe(head);
  });
});

describe('the primary email', () => {
  test('reserves the new address and releases the old one when changed', async () => {
    const { deps, update, typesAfter } = await withUser();
    const head = await deps.store.head();
    await update({ primaryEmail: 'new@example.com' });
    expect(await typesAfter(head)).toEqual(['ValueReserved', 'ContactChannelValueChanged', 'ReservationReleased']);
    await expectRejection(
      createUser(deps, ctx, { ...signInUser, primaryEmail: 'NEW@example.com' }),
      ...taken('NEW@example.com'),
    );
    await createUser(deps, ctx, signInUser);
  });

  test('keeps its reservation when only the spelling changes', async () => {
    const { deps, update, typesAfter } = await withUser();
    const head = await deps.store.head();
    await update({ primaryEmail: 'ANN@example.com' });
    expect(await typesAfter(head)).toEqual(['ContactChannelValueChanged']);
  });

  test('is reserved while it is used for sign-in', async () => {
    const { deps, update, typesAfter } = await withUser({ primaryEmail: email });
    const after = async (change: UserInput) => {
      const head = await deps.store.head();
      await update(change);
      return typesAfter(head);
    };
    expect(await after({ primaryEmailAuthEnabled: true })).toEqual(['ValueReserved', 'ContactChannelAuthChanged']);
    expect(await after({ primaryEmailAuthEnabled: false })).toEqual([
      'ContactChannelAuthChanged',
      'ReservationReleased',
    ]);
    expect(await after({ primaryEmailAuthEnabled: true })).toEqual(['ValueReserved', 'ContactChannelAuthChanged']);
    expect(await after({ primaryEmail: null })).toEqual(['ContactChannelRemoved', 'ReservationReleased']);
    expect(await after({ primaryEmail: null })).toEqual([]);
  });

  test('is rejected when another user signs in with it', async () => {
    const { deps, update } = await withUser({ primaryEmail: email });
    await createUser(deps, ctx, signInUser);
    await createUser(deps, ctx, { ...signInUser, primaryEmail: 'bob@example.com' });
    await expectRejection(update({ primaryEmailAuthEnabled: true }), ...taken(email));
    const bobs = { primaryEmail: 'bob@example.com' };
    await expectRejection(update({ ...bobs, primaryEmailAuthEnabled: true }), ...taken('bob@example.com'));
    await update(bobs);
  });

  test('rejects a flag without an email', async () => {
    const { update } = await withUser({});
    await expectRejection(update({ primaryEmailVerified: true }), 'EMAIL_FLAG_WITHOUT_EMAIL');
    await expectRejection(update({ primaryEmailAuthEnabled: true }), 'EMAIL_FLAG_WITHOUT_EMAIL');
    await expectRejection(update({ primaryEmail: null, primaryEmailVerified: true }), 'EMAIL_FLAG_WITHOUT_EMAIL');
  });
});

describe("a server's password", () => {
  test('can be short, works and ends all sessions', async () => {
    const { deps, userId, update } = await withUser();
    const { sessionId } = await createSession(deps, ctx, { userId });
    await update({ password: 'x' });
    expect(await isSessionAlive(deps, sessionId)).toBe(false);
    expect((await signInWithPassword(deps, ctx, { email, password: 'x', config })).userId).toBe(userId);
  });

  test('null removes it and ends all sessions', async () => {
    const { deps, update } = await withUser({ ...signInUser, password: 'password' });
    const { sessionId } = await signInWithPassword(deps, ctx, { email, password: 'password', config });
    await update({ password: null });
    expect(await isSessionAlive(deps, sessionId)).toBe(false);
    await expectRejection(
      signInWithPassword(deps, ctx, { email, password: 'password', config }),
      'EMAIL_PASSWORD_MISMATCH',
    );
  });

  test('is rejected when it is too long, the method is off or there is no email', async () => {
    const { update } = await withUser();
    await expectRejection(update({ password: 'x'.repeat(71) }), 'PASSWORD_TOO_LONG', { maxLength: 70 });
    await expectRejection(update({ password: 'password' }, allOff), 'PASSWORD_METHOD_DISABLED');
    await expectRejection(update({ password: 'password', primaryEmail: null }), 'PASSWORD_REQUIRES_PRIMARY_EMAIL');
  });
});

describe('deleting a user', () => {
  test('is recorded, then releases the email, then erases the data', async () => {
    const { deps, userId, typesAfter, eventsOf } = await withUser({ ...signInUser, displayName: 'Ann' });
    const head = await deps.store.head();
    const { position } = await deleteUser(deps, ctx, { userId });
    expect(await typesAfter(head)).toEqual(['UserDeleted', 'ReservationReleased', 'AddressErased']);
    expect(position).toBe(await deps.store.head());
    expect((await eventsOf('UserCreated'))[0]?.data.displayName).toBeNull();
    expect((await eventsOf('ContactChannelAdded'))[0]?.data.value).toBeNull();
    const again = await signUp(deps, ctx, { email, password: 'correct horse', config });
    expect(again.userId).not.toBe(userId);
  });

  test('is rejected for a user who is unknown, deleted or of another project', async () => {
    const { deps, userId } = await withUser();
    await expectRejection(deleteUser(deps, ctx, { userId: deps.newId() }), 'USER_NOT_FOUND');
    await expectRejection(deleteUser(deps, contextOf('bar'), { userId }), 'USER_NOT_FOUND');
    await deleteUser(deps, ctx, { userId });
    await expectRejection(deleteUser(deps, ctx, { userId }), 'USER_NOT_FOUND');
  });
});
