import { describe, expect, test, vi } from 'vitest';
import { streamOf } from '../streams.ts';
import { isSessionAlive } from '../testing/liveness.ts';
import { testProject } from '../testing/people.ts';
import { contextOf, createWorld, expectRejection } from '../testing/world.ts';
import { createUser } from '../user/create-user.ts';
import { deleteUser } from '../user/delete-user.ts';
import { updateUser } from '../user/update-user.ts';
import { createSession, endSession } from './session.ts';

const ctx = contextOf('shop');

async function withUser() {
  const world = await createWorld();
  return {
    ...world,
    ...(await createUser(world.deps, ctx, { project: testProject, primaryEmail: 'ann@example.com' })),
  };
}

test('whether a session is alive follows from the remembered state of its user', async () => {
  const { deps, userId } = await withUser();
  const { sessionId } = await createSession(deps, ctx, { userId });
  const reads = vi.spyOn(deps.store, 'readStream');
  expect(await isSessionAlive(deps, sessionId)).toBe(true);
  expect(reads.mock.calls.map(([stream]) => stream)).toEqual([streamOf.session(sessionId)]);
});

describe('a session started by a server', () => {
  test('lasts 365 days by default', async () => {
    const { deps, clock, userId } = await withUser();
    const { sessionId } = await createSession(deps, ctx, { userId });
    clock.advance(365 * 86_400_000 - 1);
    expect(await isSessionAlive(deps, sessionId)).toBe(true);
    clock.advance(1);
    expect(await isSessionAlive(deps, sessionId)).toBe(false);
  });

  test('has the requested lifetime and is stored with the hash of its token', async () => {
    const { deps, userId, eventsOf } = await withUser();
    const { sessionId, refreshToken } = await createSession(deps, ctx, {
      userId,
      lifeMs: 60_000,
      isImpersonation: true,
    });
    const [started] = await eventsOf('SessionStarted');
    expect(started?.data).toMatchObject({
      sessionId,
      userId,
      method: 'server',
      isImpersonation: true,
      userRevision: 1,
      refreshTokenHash: deps.sha256(refreshToken),
      expiresAt: '2026-01-15T12:01:00.000Z',
    });
  });

  test('lasts no longer than sessions of the project, but up to 367 days with the default', async () => {
    const { deps, userId } = await withUser();
    const day = 86_400_000;
    const lastsAtMost = async (sessionLifetimeHours: number, lifeMs?: number) => {
      const input = { userId, ...(lifeMs !== undefined && { lifeMs }) };
      const { endsAt } = await createSession(deps, { ...ctx, sessionLifetimeHours }, input);
      return endsAt - Date.parse(deps.now());
    };
    expect(await lastsAtMost(24)).toBe(day);
    expect(await lastsAtMost(24, 60_000)).toBe(60_000);
    expect(await lastsAtMost(24, 2 * day)).toBe(day);
    expect(await lastsAtMost(8_760, 367 * day)).toBe(367 * day);
  });

  test('requires a user of the project', async () => {
    const { deps, userId } = await withUser();
    const unknown = deps.newId();
    await expectRejection(createSession(deps, ctx, { userId: unknown }), 'USER_ID_DOES_NOT_EXIST', {
      user_id: unknown,
    });
    await expectRejection(createSession(deps, contextOf('bar'), { userId }), 'USER_ID_DOES_NOT_EXIST', {
      user_id: userId,
    });
    await deleteUser(deps, ctx, { userId });
    await expectRejection(createSession(deps, ctx, { userId }), 'USER_ID_DOES_NOT_EXIST', { user_id: userId });
  });

  test('ends when a server changes the password', async () => {
    const { deps, userId } = await withUser();
    const before = await createSession(deps, ctx, { userId });
    await updateUser(deps, ctx, { userId, project: testProject, password: null });
    const after = await createSession(deps, ctx, { userId });
    expect(await isSessionAlive(deps, before.sessionId)).toBe(false);
    expect(await isSessionAlive(deps, after.sessionId)).toBe(true);
  });
});

describe('ending a session', () => {
  test('is recorded once with its reason', async () => {
    const { deps, userId, eventsOf } = await withUser();
    const { sessionId } = await createSession(deps, ctx, { userId });
    const { position } = await endSession(deps, ctx, { sessionId, userId, reason: 'sign_out' });
    expect(position).toBe(await deps.store.head());
    expect((await eventsOf('SessionEnded')).map(({ data }) => data.reason)).toEqual(['sign_out']);
    expect(await isSessionAlive(deps, sessionId)).toBe(false);
    await expectRejection(endSession(deps, ctx, { sessionId, userId: null, reason: 'revoked' }), 'SESSION_NOT_FOUND');
  });

  test('rejects a session that is unknown or of another user or project; a server names no user', async () => {
    const { deps, userId } = await withUser();
    const { sessionId } = await createSession(deps, ctx, { userId });
    const end = { sessionId, userId: null, reason: 'revoked' } as const;
    await expectRejection(endSession(deps, ctx, { ...end, userId: deps.newId() }), 'SESSION_NOT_FOUND');
    await expectRejection(endSession(deps, contextOf('bar'), end), 'SESSION_NOT_FOUND');
    await expectRejection(endSession(deps, ctx, { ...end, sessionId: deps.newId() }), 'SESSION_NOT_FOUND');
    await endSession(deps, ctx, end);
  });

  test('succeeds for one of two concurrent requests', async () => {
    const { deps, userId, eventsOf } = await withUser();
    const { sessionId } = await createSession(deps, ctx, { userId });
    const end = () => endSession(deps, ctx, { sessionId, userId, reason: 'revoked' });
    const outcomes = await Promise.allSettled([end(), end()]);
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(await eventsOf('SessionEnded')).toHaveLength(1);
  });
});
