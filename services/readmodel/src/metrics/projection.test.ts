import type { UserEvent } from '@gatebook/domain/user/events';
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
const metrics = (today: string) => projectMetrics(side.db, 'internal', today);
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
    data: { addressRefs: [], userId: idOf(2), projectId: 'internal', at: at[2] ?? '' },
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
  const data = { addressRefs: [], userId: idOf(50), projectId: 'internal', at: '2026-01-31T13:00:00.000Z' };
  await side.record(`user-${idOf(50)}`, { type: 'UserDeleted', data });
});

test('activity is coalesced, counted once a day for each user, and deleted with the user', async () => {
  const activity = createActivity({ pool: side.database.pool, logger: silentLogger });
  const use = (n: number, at: string, country: string | null = null) =>
    activity.record({ projectId: 'internal', userId: idOf(n), sessionId: idOf(100 + n), at, ip: '192.0.2.1', country });
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
