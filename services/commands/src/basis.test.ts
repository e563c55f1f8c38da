import { ConcurrencyError, NO_STREAM } from '@gatebook/eventlog/port';
import { expect, test } from 'vitest';
import { recordBasis } from './basis.ts';
import { signInWithPassword } from './password/password.ts';
import { signUp, testProject } from './testing/people.ts';
import { contextOf, createWorld } from './testing/world.ts';
import { updateUser } from './user/update-user.ts';

const ctx = contextOf('shop');
const renamed = (userId: string) => ({ userId, project: testProject, displayName: 'Ann' });
const metadata = { projectId: 'shop', actor: ctx.actor, requestId: 'r', correlationId: 'r', causationId: null };

async function withAnn() {
  const world = await createWorld();
  const { userId } = await signUp(world.deps, ctx, { email: 'ann@example.com', password: 'correct horse' });
  const event = { type: 'UserRenamed', data: { userId, displayName: 'A', at: world.deps.now() } };
  const lastBasis = async () => (await world.deps.store.readBack(null, 1))[0]?.metadata.basis;
  return { ...world, userId, event, lastBasis };
}

test('a command that reads only what it writes has an empty basis: its events have the revision', async () => {
  const { deps, userId, lastBasis } = await withAnn();
  await updateUser(deps, ctx, renamed(userId));
  expect(await lastBasis()).toEqual({});
});

test('the basis has streams that were read before the unit of work, if the log of the request is given', async () => {
  const { deps, userId, lastBasis } = await withAnn();
  const store = recordBasis(deps.store, { 'project-shop': 7 });
  const signIn = { email: 'ann@example.com', password: 'correct horse', config: testProject.config };
  await signInWithPassword({ ...deps, store }, ctx, signIn);
  const { revision } = await deps.store.readStream(`user-${userId}`);
  expect(await lastBasis()).toMatchObject({ 'project-shop': 7, [`user-${userId}`]: Number(revision) });
});

test('a stream that did not exist has revision -1, and a stream that the request wrote has its new revision', async () => {
  const { deps, userId, event, lastBasis } = await withAnn();
  const store = recordBasis(deps.store);
  await store.readStream('user-nobody');
  const { revision } = await store.readStream(`user-${userId}`);
  await store.append([{ stream: `user-${userId}`, expected: revision, events: [event, event] }], metadata);
  expect(await lastBasis()).toEqual({ 'user-nobody': -1 });
  await store.append([{ stream: 'user-other', expected: NO_STREAM, events: [event] }], metadata);
  expect(await lastBasis()).toEqual({ 'user-nobody': -1, [`user-${userId}`]: Number(revision) + 2 });
});

test('a conflict leaves what was read', async () => {
  const { deps, userId, event, lastBasis } = await withAnn();
  const store = recordBasis(deps.store);
  await store.readStream('user-nobody');
  const wrong = { stream: `user-${userId}`, expected: NO_STREAM, events: [event] };
  await expect(store.append([wrong], metadata)).rejects.toThrow(ConcurrencyError);
  await store.append([{ stream: 'user-other', expected: NO_STREAM, events: [event] }], metadata);
  expect(await lastBasis()).toEqual({ 'user-nobody': -1 });
});

test('a basis names the 16 streams that were read last', async () => {
  const { deps, event, lastBasis } = await withAnn();
  const store = recordBasis(deps.store);
  for (let nth = 1; nth <= 20; nth += 1) await store.readStream(`user-${nth}`);
  await store.readStream('user-5');
  await store.append([{ stream: 'user-other', expected: NO_STREAM, events: [event] }], metadata);
  const names = Object.keys((await lastBasis()) ?? {});
  expect(names).toHaveLength(16);
  expect(names).toContain('user-5');
  expect(names).not.toContain('user-4');
});
