import type { UserEvent } from '@gatebook/domain/user/events';
import { unknownSignIn } from '@gatebook/domain/user/events';
import { silentLogger } from '@gatebook/projections/testing/test-log';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createActivity } from '../activity/activity.ts';
import { type ReadSide, startReadSide } from '../testing/read-side.ts';
import { projectMetrics } from './queries.ts';

let side: ReadSide;
beforeAll(async () => {
  side = await startReadSide();
});
afterAll(() => side.close());

const idOf = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;
const created = (n: number, at: string): UserEvent => ({
  type: 'UserCreated',
  data: {
    ...unknownSignIn,
    userId: idOf(n),
    projectId: 'internal',
    displayName: `u${n}`,
    profileImageUrl: null,
    isAnonymous: false,
    at,
    method: 'password',
    clientMetadata: null,
    clientReadOnlyMetadata: null,
    serverMetadata: null,
  },
});
const metrics = (today: string, withAnonymous = true) => projectMetrics(side.db, 'internal', { today, withAnonymous });
const countOf = (days: readonly { date: string; count: number }[], date: string) =>
  days.find((day) => day.date === date)?.count;

test('a project without users has 31 zeros in each chart and empty lists', async () => {
  const found = await metrics('2026-01-31');
  for (const days of [found.dailyUsers, found.dailyActiveUsers]) {
    expect(days).toHaveLength(31);
    expect(days.at(0)?.date).toBe('2026-01-01');
    expect(days.at(-1)?.date).toBe('2026-01-31');
    expect(days.every(({ count }) => count === 0)).toBe(true);
  }
  expect(found).toMatchObject({ usersByCountry: [], recentlyRegistered: [], recentlyActive: [], loginMethods: [] });
});

test('sign-ups are counted by UTC day and by method, without deleted users', async () => {
  const at = ['2026-01-30T23:59:59.999Z', '2026-01-31T00:00:00.000Z', '2026-01-31T12:00:00.000Z'];
  for (const [n, time] of at.entries()) {
    const group: UserEvent = {
      type: 'UserPasswordSet',
      data: { userId: idOf(n), passwordHash: 'h', origin: 'sign_up', at: time },
    };
    await side.record(`user-${idOf(n)}`, created(n, time), group);
  }
  const deleted: UserEvent = {
    type: 'UserDeleted',
    data: { wasScheduled: false, addressRefs: [], userId: idOf(2), projectId: 'internal', at: at[2] ?? '' },
  };
  await side.record(`user-${idOf(2)}`, deleted);
  await expect
    .poll(async () => (await metrics('2026-01-31')).dailyUsers.slice(-2))
    .toEqual([
      { date: '2026-01-30', count: 1 },
      { date: '2026-01-31', count: 1 },
    ]);
  await expect.poll(async () => (await metrics('2026-01-31')).loginMethods).toEqual([{ method: 'password', count: 2 }]);
});

test('imported users are counted on the day of their sign-up elsewhere', async () => {
  const imported = created(50, '2026-01-31T12:00:00.000Z');
  Object.assign(imported.data, { signedUpAt: '2026-01-20T12:00:00.000Z' });
  await side.record(`user-${idOf(50)}`, imported);
  await expect.poll(async () => countOf((await metrics('2026-01-31')).dailyUsers, '2026-01-20')).toBe(1);
  expect(countOf((await metrics('2026-01-31')).dailyUsers, '2026-01-31')).toBe(1);
  const data = {
    wasScheduled: false,
    addressRefs: [],
    userId: idOf(50),
    projectId: 'internal',
    at: '2026-01-31T13:00:00.000Z',
  };
  await side.record(`user-${idOf(50)}`, { type: 'UserDeleted', data });
});

test('activity is coalesced, counted once a day for each user, and deleted with the user', async () => {
  const activity = createActivity({ pool: side.database.pool, logger: silentLogger });
  const use = (n: number, at: string, country: string | null = null) =>
    activity.record({
      projectId: 'internal',
      userId: idOf(n),
      sessionId: idOf(100 + n),
      at,
      ip: '192.0.2.1',
      country,
      device: null,
      language: null,
    });
  use(0, '2026-01-31T10:00:00.000Z', 'SE');
  use(0, '2026-01-31T10:00:30.000Z', 'NO');
  use(1, '2026-01-31T10:00:00.000Z');
  await activity.flush();
  use(0, '2026-01-31T10:01:00.000Z', 'FI');
  await activity.close();
  const found = await metrics('2026-01-31');
  expect(countOf(found.dailyActiveUsers, '2026-01-31')).toBe(2);
  expect(found.usersByCountry).toEqual([{ country: 'FI', count: 1 }]);
  expect(found.recentlyActive.map(({ id, lastActiveAt }) => [id, lastActiveAt])).toEqual([
    [idOf(0), Date.parse('2026-01-31T10:01:00.000Z')],
    [idOf(1), Date.parse('2026-01-31T10:00:00.000Z')],
  ]);
  await activity.forgetUser(idOf(0));
  const after = await metrics('2026-01-31');
  expect(after.recentlyActive.map(({ id }) => id)).toEqual([idOf(1)]);
  expect(countOf(after.dailyActiveUsers, '2026-01-31')).toBe(2);
});

test('anonymous users are left out of every number and list on request, until they sign up', async () => {
  const [day, at] = ['2026-03-31', '2026-03-31T10:00:00.000Z'];
  const anonymousId = idOf(7);
  const event = created(7, at);
  await side.record(`user-${anonymousId}`, { ...event, data: { ...event.data, isAnonymous: true } } as UserEvent);
  const activity = createActivity({ pool: side.database.pool, logger: silentLogger });
  const use = {
    projectId: 'internal',
    userId: anonymousId,
    sessionId: idOf(107),
    at,
    ip: null,
    country: 'CH',
    device: null,
    language: null,
  };
  activity.record(use);
  await activity.close();
  const shown = async (withAnonymous: boolean) => {
    const found = await metrics(day, withAnonymous);
    return {
      signUps: countOf(found.dailyUsers, day),
      active: countOf(found.dailyActiveUsers, day),
      isCounted: found.usersByCountry.some(({ country }) => country === 'CH'),
      isListed: [found.recentlyRegistered, found.recentlyActive].map((users) =>
        users.some(({ id }) => id === anonymousId),
      ),
    };
  };
  const all = { signUps: 1, active: 1, isCounted: true, isListed: [true, true] };
  await expect.poll(() => shown(true)).toEqual(all);
  await expect.poll(() => shown(false)).toEqual({ signUps: 0, active: 0, isCounted: false, isListed: [false, false] });
  const total = (await metrics(day, false)).totalUsers;
  const upgraded = { userId: anonymousId, projectId: 'internal', method: 'password' as const, at };
  await side.record(`user-${anonymousId}`, { type: 'UserUpgraded', data: upgraded });
  await expect.poll(() => shown(false)).toEqual(all);
  expect((await metrics(day, false)).totalUsers).toBe(total + 1);
});

test('a user who awaits deletion is not counted in a country', async () => {
  const userId = idOf(8);
  const at = '2026-04-30T10:00:00.000Z';
  await side.record(`user-${userId}`, created(8, at));
  const activity = createActivity({ pool: side.database.pool, logger: silentLogger });
  activity.record({
    projectId: 'internal',
    userId,
    sessionId: idOf(108),
    at,
    ip: null,
    country: 'NL',
    device: null,
    language: null,
  });
  await activity.close();
  const isCounted = async () => (await metrics('2026-04-30')).usersByCountry.some(({ country }) => country === 'NL');
  await expect.poll(isCounted).toBe(true);
  const data = { userId, projectId: 'internal', deleteAt: '2026-05-30T10:00:00.000Z', isByUser: false, at };
  await side.record(`user-${userId}`, { type: 'UserDeletionScheduled', data });
  await expect.poll(isCounted).toBe(false);
});
