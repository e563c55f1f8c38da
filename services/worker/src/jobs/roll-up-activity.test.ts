import type { UserEvent } from '@gatebook/domain/user/events';
import { unknownSignIn } from '@gatebook/domain/user/events';
import { migrateEventLog } from '@gatebook/eventlog/postgres/migrate';
import { listActiveUsers, type Period } from '@gatebook/readmodel/activity/active-users';
import { createActivity } from '@gatebook/readmodel/activity/activity';
import { type ReadSide, startReadSide } from '@gatebook/readmodel/testing/read-side';
import { createLogger } from '@gatebook/runtime/logger';
import type { Pool } from '@gatebook/runtime/postgres';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { rollUpActivity } from './roll-up-activity.ts';

let side: ReadSide;
let pool: Pool;
beforeAll(async () => {
  side = await startReadSide();
  pool = side.database.pool;
  await migrateEventLog(pool);
  for (const n of [1, 2, 3]) await side.record(`user-${idOf(n)}`, signUp(n));
  const signUps = () => pool.query(`select from ${side.readModels.schema('metrics')}.sign_ups`);
  await vi.waitUntil(async () => (await signUps()).rowCount === 3, { timeout: 30_000 });
});
afterAll(() => side.close());
beforeEach(() => pool.query('truncate activity.days, activity.active_users'));

const dayMs = 24 * 60 * 60 * 1000;
const idOf = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;
const dayOf = (n: number) => new Date(Date.parse('2026-03-01') + n * dayMs).toISOString().slice(0, 10);
const noonOf = (n: number) => `${dayOf(n)}T12:00:00.000Z`;

/** User n signs up on day 10n; user 3 is anonymous. */
function signUp(n: number): UserEvent {
  const person = { displayName: null, profileImageUrl: null, isAnonymous: n === 3, method: 'password' as const };
  const metadata = { clientMetadata: null, clientReadOnlyMetadata: null, serverMetadata: null };
  const data = { ...unknownSignIn, ...person, ...metadata, userId: idOf(n), projectId: 'internal', at: noonOf(10 * n) };
  return { type: 'UserCreated', data };
}

/** Users by day. User 9 is active every day. Users 4 to 9 are unknown: they were deleted. */
const usersOf = (day: number) =>
  [1, 2, 3, 4, 5, 6, 7, 8, 9].filter((n) => n === 9 || (day * 7 + n * 5) % (n + 2) === 0);
const insertDay = (day: number, users: readonly number[], projectId = 'internal') =>
  pool.query(`insert into activity.days select $1, $2, * from unnest($3::uuid[]) on conflict do nothing`, [
    projectId,
    dayOf(day),
    users.map(idOf),
  ]);

const roll = (day: number, using: Pool = pool) =>
  rollUpActivity(
    { pool: using, db: side.db, isProjected: async () => true },
    noonOf(day),
    new AbortController().signal,
  );
const list = (days: Period, projectId = 'internal') =>
  listActiveUsers(side.db, projectId, { days, from: dayOf(-1000), until: dayOf(1000) });

/** What the counts must be, from the users of all days. */
function expected(days: Period, last: number, activeOn = usersOf) {
  const counts = Array.from({ length: last + 1 }, (_, day) => {
    const from = Math.max(0, day - days + 1);
    const users = new Set(Array.from({ length: day - from + 1 }, (_each, nth) => activeOn(from + nth)).flat());
    const isNew = (n: number) => n <= 3 && 10 * n > day - days;
    return {
      day: dayOf(day),
      users: users.size,
      anonymousUsers: users.has(3) ? 1 : 0,
      newUsers: [...users].filter(isNew).length,
    };
  });
  return counts.filter(({ users }) => users > 0);
}

async function expectCounts(last: number) {
  for (const days of [1, 7, 30] as const) expect(await list(days), `${days} days`).toEqual(expected(days, last));
}

const daysLeft = async () =>
  (await pool.query<{ day: string }>(`select distinct day::text from activity.days order by 1`)).rows.map(
    ({ day }) => day,
  );

describe('counts of active users', () => {
  test('stay right for 1, 7 and 30 days when the users of days older than 32 days are forgotten', async () => {
    for (let day = 0; day <= 90; day += 1) {
      await insertDay(day, usersOf(day));
      await roll(day);
    }
    await expectCounts(88);
    expect((await daysLeft()).at(0)).toBe(dayOf(90 - 32));
  });

  test('are right when the worker did not run for months', async () => {
    for (let day = 0; day <= 90; day += 1) await insertDay(day, usersOf(day));
    await roll(90);
    await expectCounts(88);
    expect((await daysLeft()).at(0)).toBe(dayOf(90 - 32));
  });

  test('are the same after an interruption before or after any statement', async () => {
    for (let day = 0; day <= 40; day += 1) await insertDay(day, usersOf(day));
    let interruptions = 0;
    for (let stop = 1; ; stop += 1) {
      const ended = await roll(40, interrupted(pool, stop)).then(
        () => true,
        () => false,
      );
      if (ended) break;
      interruptions += 1;
    }
    expect(interruptions).toBeGreaterThan(4);
    await expectCounts(38);
    expect((await daysLeft()).at(0)).toBe(dayOf(8));
  });

  test('do not change when rows of a counted day come late, and these rows are forgotten too', async () => {
    for (let day = 0; day <= 40; day += 1) await insertDay(day, usersOf(day));
    await roll(40);
    const counts = await list(1);
    await insertDay(0, [1, 2, 3]);
    await insertDay(-5, [1, 2, 3]);
    await roll(40);
    await roll(41);
    expect((await list(1)).slice(0, counts.length)).toEqual(counts);
    expect((await daysLeft()).at(0)).toBe(dayOf(9));
  });

  test('of a project are saved when those of another one cannot be', async () => {
    await insertDay(0, [1], 'faulty');
    await insertDay(0, [1], 'other');
    const query = async (...args: Parameters<Pool['query']>) => {
      if ((args as unknown as [string, unknown[]?])[1]?.[0] === 'faulty') throw new Error('integer out of range');
      return pool.query(...args);
    };
    const failing = new Proxy(pool, { get: (real, key) => (key === 'query' ? query : Reflect.get(real, key)) });
    await expect(roll(40, failing)).rejects.toThrow('could not count 1 projects');
    expect(await list(1, 'other')).toHaveLength(1);
    const { rows } = await pool.query<{ project: string }>('select project_id as project from activity.days');
    expect(rows).toEqual([{ project: 'faulty' }]);
  });

  test('include days on which nobody was active, as long as somebody was in the period', async () => {
    await insertDay(0, [1]);
    await roll(50);
    expect(await list(1)).toHaveLength(1);
    expect((await list(7)).map(({ day }) => day)).toEqual([0, 1, 2, 3, 4, 5, 6].map(dayOf));
    expect(await list(30)).toHaveLength(30);
    expect(await daysLeft()).toEqual([]);
  });

  test('of a project are deleted with it, also if it is erased while they are written', async () => {
    await insertDay(0, [1], 'erased');
    await insertDay(0, [1], 'other');
    const activity = createActivity({ pool, logger: createLogger({ level: 'silent' }) });
    await roll(10);
    expect(await list(1, 'erased')).toHaveLength(1);
    await activity.forgetProject('erased');
    expect(await list(1, 'erased')).toEqual([]);

    await insertDay(0, [1], 'erased');
    await pool.query(`insert into keys.erased_projects (project_id) values ('erased')`);
    await roll(10);
    expect(await list(1, 'erased')).toEqual([]);
    expect(await list(1, 'other')).toHaveLength(1);
    await activity.close();
  });
});

/** Fails the n-th time that a statement is sent or has run. */
function interrupted(real: Pool, n: number): Pool {
  let count = 0;
  const pass = () => {
    count += 1;
    if (count === n) throw new Error('interrupted');
  };
  const query = async (...args: Parameters<Pool['query']>) => {
    pass();
    const result = await real.query(...args);
    pass();
    return result;
  };
  return new Proxy(real, { get: (target, key) => (key === 'query' ? query : Reflect.get(target, key)) });
}
