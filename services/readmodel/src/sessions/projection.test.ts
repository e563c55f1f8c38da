import type { SessionEvent } from '@gatebook/domain/session/events';
import type { UserEvent } from '@gatebook/domain/user/events';
import { unknownSignIn } from '@gatebook/domain/user/events';
import { fixedTime as at } from '@gatebook/runtime/testing/fixed';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ReadSide, startReadSide } from '../testing/read-side.ts';
import { findCurrentUser } from '../users/queries.ts';
import { findSessionByRefreshToken, listSessions } from './queries.ts';

let side: ReadSide;
beforeAll(async () => {
  side = await startReadSide();
});
afterAll(() => side.close());

const idOf = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;
const created = (userId: string): UserEvent => ({
  type: 'UserCreated',
  data: {
    ...unknownSignIn,
    ...{
      userId,
      projectId: 'internal',
      displayName: 'Ann',
      profileImageUrl: null,
      isAnonymous: false,
      method: 'password',
      at,
    },
    clientMetadata: null,
    clientReadOnlyMetadata: null,
    serverMetadata: null,
  },
});
type Started = Extract<SessionEvent, { type: 'SessionStarted' }>['data'];
const started = (userId: string, sessionId: string, change: Partial<Started> = {}): SessionEvent => ({
  type: 'SessionStarted',
  data: {
    sessionId,
    userId,
    projectId: 'internal',
    userRevision: 0,
    refreshTokenHash: `hash ${sessionId}`,
    at,
    expiresAt: '2099-01-01T00:00:00.000Z',
    isImpersonation: false,
    impersonator: null,
    impersonationReason: null,
    method: 'password',
    secondFactor: null,
    ...unknownSignIn,
    ...change,
  },
});
const ended = (userId: string, keptSessionId: string | null): UserEvent => ({
  type: 'UserSessionsEnded',
  data: { userId, keptSessionId, reason: 'password_update', at },
});
const live = async (userId: string, withImpersonation = true) =>
  (await listSessions(side.db, 'internal', userId, { withImpersonation })).rows.map(({ id }) => id).sort();
const token = (sessionId: string, projectId = 'internal') =>
  findSessionByRefreshToken(side.db, projectId, `hash ${sessionId}`);

test('a session can be found by its token, in its project, until it ends', async () => {
  const [userId, sessionId] = [idOf(1), idOf(101)];
  await side.record(`user-${userId}`, created(userId));
  await side.readModels.reached(await side.record(`session-${sessionId}`, started(userId, sessionId)));
  expect(await token(sessionId)).toMatchObject({
    session: { id: sessionId },
    user: { id: userId, displayName: 'Ann' },
  });
  expect(await token(sessionId, 'another')).toBeNull();
  expect(await findCurrentUser(side.db, 'internal', userId, sessionId)).toMatchObject({ isSessionLive: true });
  const end: SessionEvent = { type: 'SessionEnded', data: { sessionId, userId, reason: 'sign_out', at } };
  await side.readModels.reached(await side.record(`session-${sessionId}`, end));
  expect(await token(sessionId)).toBeNull();
  expect(await findCurrentUser(side.db, 'internal', userId, sessionId)).toMatchObject({ isSessionLive: false });
});

test('an expired session is not found or listed', async () => {
  const [userId, sessionId] = [idOf(2), idOf(102)];
  await side.record(`user-${userId}`, created(userId));
  const past = started(userId, sessionId, { expiresAt: '2026-01-16T00:00:00.000Z' });
  await side.readModels.reached(await side.record(`session-${sessionId}`, past));
  expect(await token(sessionId)).toBeNull();
  expect(await live(userId)).toEqual([]);
});

test('a new password ends all sessions except the kept one, including sessions decided before it', async () => {
  const userId = idOf(3);
  const [kept, other, late, fresh] = [idOf(103), idOf(104), idOf(105), idOf(106)];
  await side.record(`user-${userId}`, created(userId));
  for (const id of [kept, other]) await side.record(`session-${id}`, started(userId, id));
  await side.record(`user-${userId}`, ended(userId, kept));
  // Decided before the new password, appended after it.
  await side.record(`session-${late}`, started(userId, late, { userRevision: 0 }));
  const last = await side.record(`session-${fresh}`, started(userId, fresh, { userRevision: 1 }));
  await side.readModels.reached(last);
  expect(await live(userId)).toEqual([kept, fresh]);
  await side.readModels.reached(await side.record(`user-${userId}`, ended(userId, null)));
  expect(await live(userId)).toEqual([]);
});

test('impersonation sessions are listed only on request', async () => {
  const [userId, sessionId] = [idOf(4), idOf(107)];
  await side.record(`user-${userId}`, created(userId));
  const impersonation = started(userId, sessionId, { isImpersonation: true });
  await side.readModels.reached(await side.record(`session-${sessionId}`, impersonation));
  expect(await live(userId)).toEqual([sessionId]);
  expect(await live(userId, false)).toEqual([]);
});

test('sessions of a deleted user cannot be found', async () => {
  const [userId, sessionId] = [idOf(5), idOf(108)];
  await side.record(`user-${userId}`, created(userId));
  await side.record(`session-${sessionId}`, started(userId, sessionId));
  const deleted: UserEvent = {
    type: 'UserDeleted',
    data: { wasScheduled: false, addressRefs: [], userId, projectId: 'internal', at },
  };
  await side.readModels.reached(await side.record(`user-${userId}`, deleted));
  expect(await token(sessionId)).toBeNull();
  expect(await findCurrentUser(side.db, 'internal', userId, sessionId)).toBeNull();
});

test('a session that starts during its user’s deletion leaves no data after the erasure', async () => {
  const [userId, sessionId] = [idOf(6), idOf(109)];
  await side.record(`user-${userId}`, created(userId));
  const deleted: UserEvent = {
    type: 'UserDeleted',
    data: { wasScheduled: false, addressRefs: [], userId, projectId: 'internal', at },
  };
  await side.record(`user-${userId}`, deleted);
  const late = started(userId, sessionId, { ip: '192.0.2.1', userAgent: 'canary' });
  await side.readModels.reached(await side.record(`session-${sessionId}`, late));
  const left = async () => {
    const schema = side.readModels.schema('main');
    const { rows } = await side.database.pool.query(`select user_agent from ${schema}.sessions where user_id = $1`, [
      userId,
    ]);
    return rows;
  };
  expect(await left()).toHaveLength(1);
  const erased: UserEvent = { type: 'UserErased', data: { userId, projectId: 'internal', at } };
  await side.readModels.reached(await side.record(`user-${userId}`, erased));
  expect(await left()).toHaveLength(0);
});
