import { unknownSignIn } from '@gatebook/domain/user/events';
import { migrateEventLog } from '@gatebook/eventlog/postgres/migrate';
import { createActivity } from '@gatebook/readmodel/activity/activity';
import { countActiveBefore } from '@gatebook/readmodel/metrics/active-totals';
import { countSeries, type Measure } from '@gatebook/readmodel/metrics/analytics';
import type { Dimension, Unit } from '@gatebook/readmodel/metrics/counting';
import { boundsUntil, startOf } from '@gatebook/readmodel/metrics/intervals';
import { type CountedPoint, findCountedPeople } from '@gatebook/readmodel/metrics/people';
import { findFunnel, findRetention } from '@gatebook/readmodel/metrics/retention';
import { type ReadSide, startReadSide } from '@gatebook/readmodel/testing/read-side';
import { createLogger } from '@gatebook/runtime/logger';
import type { Pool } from '@gatebook/runtime/postgres';
import { pollDeadlineMs } from '@gatebook/runtime/testing/deadlines';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { rollUpActivity } from './roll-up-activity.ts';

const dayMs = 24 * 60 * 60_000;
/** A Monday. */
const firstDay = Date.parse('2026-03-02');
const at = (day: number, hour = 12) => new Date(firstDay + day * dayMs + hour * 60 * 60_000).toISOString();
const idOf = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;
const people = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12];
const joinedOn = (n: number) => (n - 1) * 4;
const [anonymous, deleted] = [3, 5];
const deletedOn = 50;
const methodOf = (n: number) => (n % 2 === 0 ? 'github' : 'password');
const agents = ['Mozilla/5.0 (Windows NT 10.0) Firefox/130.0', 'Mozilla/5.0 (Macintosh; Mac OS X 10_15) Chrome/130.0'];
const deviceOf = (n: number) => (n % 3 === 0 ? 'Firefox on Windows' : 'Chrome on macOS');
const countryOf = (n: number) => (n % 4 === 0 ? 'DE' : 'SE');

/** A person is active from joining on, on some days, in one or two hours. */
const isActive = (n: number, day: number) =>
  day >= joinedOn(n) &&
  !(n === deleted && day >= deletedOn) &&
  (day === joinedOn(n) || (day * 7 + n * 5) % (n + 1) < 2);
const hoursOf = (n: number) => [n, n + 12].filter((hour) => hour < 24);
const signsIn = (n: number, day: number) => isActive(n, day) && (day + n) % 3 === 0;

let side: ReadSide;
let pool: Pool;
beforeAll(async () => {
  side = await startReadSide();
  pool = side.database.pool;
  await migrateEventLog(pool);
  for (const day of days(lastDay)) {
    await live(day);
    if (day % 5 === 0 || day > 65) {
      await caughtUp();
      await roll(day);
    }
    if (day === deletedOn) await deleteUser(day);
  }
  await caughtUp();
});
afterAll(() => side.close());

const lastDay = 75;
async function live(day: number): Promise<void> {
  const activity = createActivity({ pool, logger: createLogger({ level: 'silent' }) });
  for (const n of people) {
    if (day === joinedOn(n)) await signUp(n, day);
    if (!isActive(n, day)) continue;
    for (const hour of hoursOf(n)) {
      activity.record({
        projectId: 'internal',
        userId: idOf(n),
        sessionId: idOf(n * 100 + hour),
        at: at(day, hour),
        ip: null,
        country: countryOf(n),
        device: deviceOf(n),
        language: null,
      });
    }
    if (signsIn(n, day)) await signIn(n, day);
  }
  await activity.flush();
  await activity.close();
}

/** What is complete is counted before. */
async function deleteUser(day: number): Promise<void> {
  const userId = idOf(deleted);
  const data = { wasScheduled: false, addressRefs: [], userId, projectId: 'internal', at: at(day) };
  await side.record(`user-${userId}`, { type: 'UserDeleted', data });
  const activity = createActivity({ pool, logger: createLogger({ level: 'silent' }) });
  await activity.forgetUser(userId);
  await activity.close();
}

const where = (n: number) => ({
  ...unknownSignIn,
  provider: methodOf(n) === 'github' ? 'github' : null,
  country: countryOf(n),
  userAgent: agents[n % 3 === 0 ? 0 : 1] ?? '',
});

async function signUp(n: number, day: number): Promise<void> {
  const metadata = { clientMetadata: null, clientReadOnlyMetadata: null, serverMetadata: null };
  const person = { displayName: null, profileImageUrl: null, isAnonymous: n === anonymous };
  const method = methodOf(n) === 'github' ? ('oauth' as const) : ('password' as const);
  const data = { ...where(n), ...person, ...metadata, method, userId: idOf(n), projectId: 'internal', at: at(day, n) };
  await side.record(`user-${idOf(n)}`, { type: 'UserCreated', data });
}

async function signIn(n: number, day: number): Promise<void> {
  const sessionId = idOf(n * 1_000 + day);
  const facts = { userRevision: 0, refreshTokenHash: sessionId, expiresAt: at(day + 100), secondFactor: null };
  const whose = { sessionId, userId: idOf(n), projectId: 'internal', isImpersonation: false, impersonator: null };
  const method = n === anonymous ? ('anonymous' as const) : ('password' as const);
  const data = { ...where(n), provider: null, ...whose, ...facts, method, at: at(day, n) };
  await side.record(`session-${sessionId}`, { type: 'SessionStarted', data });
}

const caughtUp = async () => side.readModels.reached(await side.store.head(), pollDeadlineMs, [], { group: 'metrics' });
const roll = (day: number, isProjected = true) =>
  rollUpActivity({ pool, db: side.db, isProjected: async () => isProjected }, at(day), new AbortController().signal);

type Happening = { n: number; time: number };
const days = (until: number) => Array.from({ length: until + 1 }, (_, day) => day);
const timeOf = (day: number, hour: number) => Date.parse(at(day, hour));
const regular = people.filter((n) => n !== anonymous);

/** What happened, from the rules above. */
function happenings(measure: Measure, until: number): Happening[] {
  return regular.flatMap((n) =>
    days(until).flatMap((day): Happening[] => {
      if (measure === 'sign_ups') return day === joinedOn(n) && n !== deleted ? [{ n, time: timeOf(day, n) }] : [];
      if (measure === 'sign_ins') return signsIn(n, day) ? [{ n, time: timeOf(day, n) }] : [];
      return isActive(n, day) ? hoursOf(n).map((hour) => ({ n, time: timeOf(day, hour) })) : [];
    }),
  );
}

const groupOf: Readonly<Record<Dimension, (n: number, start: number) => string>> = {
  all: () => '',
  method: methodOf,
  country: countryOf,
  device: deviceOf,
  kind: (n, start) => (timeOf(joinedOn(n), n) >= start ? 'new' : 'returning'),
  cohort: (n) => new Date(startOf('week', timeOf(joinedOn(n), n))).toISOString().slice(0, 10),
};

function expected(measure: Measure, dimension: Dimension, bounds: readonly number[], today: number) {
  const isByDay = measure === 'sign_ins' || (bounds[1] ?? 0) - (bounds[0] ?? 0) < dayMs;
  const counts = new Map<string, number[]>();
  for (const [nth, start] of bounds.slice(0, -1).entries()) {
    const found = happenings(measure, today).filter(({ time }) => time >= start && time < (bounds[nth + 1] ?? 0));
    const counted = measure === 'active_users' ? [...new Map(found.map((one) => [one.n, one])).values()] : found;
    for (const { n, time } of counted) {
      const end = bounds[nth + 1] ?? 0;
      const isForgotten = n === deleted && measure === 'active_users' && end > timeOf(deletedOn, 0);
      const group = groupOf[dimension](n, isByDay ? startOf('day', time) : start);
      const known = measure === 'sign_ins' && dimension === 'method' ? 'password' : group;
      const value = isForgotten && dimension !== 'kind' ? '' : known;
      const series = counts.get(value) ?? bounds.slice(1).map(() => 0);
      counts.set(value, series.with(nth, (series[nth] ?? 0) + 1));
    }
  }
  return Object.fromEntries([...counts].filter(([, series]) => series.some((count) => count > 0)));
}

async function found(measure: Measure, unit: Unit, dimension: Dimension, bounds: readonly number[], now: number) {
  const series = await countSeries(side.db, 'internal', { measure, unit, dimension, bounds, now });
  const counted = series.filter(({ counts }) => counts.some((count) => count > 0));
  return Object.fromEntries(counted.map(({ value, counts }) => [value, counts]));
}

const lengths = { hour: 24, day: 70, week: 11, month: 3 } as const;
const wanted = ['all', 'method', 'country', 'device', 'kind'] as const;

test('every count is what happened, also when it is forgotten who was active, and of a user who was deleted since', async () => {
  const now = timeOf(lastDay, 23);
  for (const measure of ['sign_ups', 'sign_ins', 'active_users'] as const) {
    for (const unit of ['hour', 'day', 'week', 'month'] as const) {
      for (const dimension of wanted) {
        if (measure === 'sign_ups' && dimension === 'kind') continue;
        const bounds = boundsUntil(unit, lengths[unit], now);
        const name = `${measure} by ${unit} and ${dimension}`;
        expect(await found(measure, unit, dimension, bounds, now), name).toEqual(
          expected(measure, dimension, bounds, lastDay),
        );
      }
    }
  }
  const kept = await pool.query('select min(day)::text as day from activity.days');
  expect(kept.rows[0]?.day).toBe(at(lastDay - 32).slice(0, 10));
});

test('retention counts the users of a week in each week since', async () => {
  const now = timeOf(lastDay, 23);
  const bounds = boundsUntil('week', 11, now);
  const cohorts = await findRetention(side.db, 'internal', 11, now);
  const active = expected('active_users', 'cohort', bounds, lastDay);
  for (const [nth, { start, users, active: counts }] of cohorts.entries()) {
    const joined = regular.filter((n) => startOf('week', timeOf(joinedOn(n), n)) === start);
    expect(users).toBe(joined.length);
    const key = new Date(start).toISOString().slice(0, 10);
    expect(counts).toEqual((active[key] ?? bounds.slice(1).map(() => 0)).slice(nth));
  }
});

/** Those who exist. */
const asIds = (people: Iterable<number>) =>
  [...new Set(people)]
    .filter((n) => n !== deleted)
    .map(idOf)
    .sort();
const peopleOf = async (point: CountedPoint) => (await findCountedPeople(side.db, 'internal', point)).sort();

test('every count leads to exactly the people whom it counts, as far as it is known who was active', async () => {
  const now = timeOf(lastDay, 23);
  let points = 0;
  for (const kind of ['sign_ups', 'sign_ins', 'active_users'] as const) {
    for (const unit of ['hour', 'day', 'week', 'month'] as const) {
      const bounds = boundsUntil(unit, lengths[unit], now);
      for (const dimension of wanted) {
        if (kind === 'sign_ups' && dimension === 'kind') continue;
        const counted = await found(kind, unit, dimension, bounds, now);
        for (const [value, counts] of Object.entries(counted)) {
          for (const [nth, count] of counts.entries()) {
            const [from = 0, until = 0] = [bounds[nth], bounds[nth + 1]];
            // Of those, each count has a user who is deleted, or the days are forgotten.
            const isKnown = kind !== 'active_users' || from > timeOf(deletedOn, 0);
            if (count === 0 || !isKnown) continue;
            points += 1;
            const point = { kind, from, until, dimension, value };
            const isByDay = kind === 'sign_ins' || unit === 'hour' || unit === 'day';
            const people = happenings(kind, lastDay)
              .filter(({ time }) => time >= from && time < until)
              .filter(({ n, time }) => {
                if (kind === 'sign_ins' && dimension === 'method') return value === 'password';
                return groupOf[dimension](n, isByDay ? startOf('day', time) : from) === value;
              })
              .map(({ n }) => n);
            const name = `${kind} by ${unit} and ${dimension} ${value} at ${new Date(from).toISOString()}`;
            expect(await peopleOf(point), name).toEqual(asIds(people));
            if (kind !== 'sign_ins') expect(asIds(people), name).toHaveLength(count);
          }
        }
      }
    }
  }
  expect(points).toBeGreaterThan(200);
});

test('each week of retention and each step of the funnel lead to exactly the people whom they count', async () => {
  const now = timeOf(lastDay, 23);
  for (const { start, users, active } of await findRetention(side.db, 'internal', 11, now)) {
    const joined = { kind: 'joined', from: start, until: start + 7 * dayMs, dimension: 'all', value: '' } as const;
    const isWhole = !regular.some((n) => n === deleted && startOf('week', timeOf(joinedOn(n), n)) === start);
    if (isWhole) expect(await peopleOf(joined)).toHaveLength(users);
    const value = new Date(start).toISOString().slice(0, 10);
    for (const [nth, count] of active.entries()) {
      const from = start + nth * 7 * dayMs;
      if (count === null || from <= timeOf(deletedOn, 0)) continue;
      const point = { kind: 'active_users', from, until: from + 7 * dayMs, dimension: 'cohort', value } as const;
      expect(await peopleOf(point), `${value} +${nth}`).toHaveLength(count);
    }
  }
  const since = timeOf(0, 0);
  const funnel = await findFunnel(side.db, 'internal', since);
  const step = (kind: CountedPoint['kind']) =>
    peopleOf({ kind, from: since, until: now + dayMs, dimension: 'all', value: '' });
  expect(await step('joined')).toHaveLength(funnel.signedUp);
  expect(await step('verified')).toHaveLength(funnel.verified);
  expect(await step('returned')).toHaveLength(funnel.returned);
  expect(funnel.signedUp).toBeGreaterThan(0);
});

test('the users of the period before are counted once each', async () => {
  const now = timeOf(lastDay, 23);
  for (const [unit, count] of [
    ['hour', 24],
    ['day', 7],
    ['day', 30],
  ] as const) {
    const bounds = boundsUntil(unit, count, now);
    const length = (bounds.at(-1) ?? 0) - (bounds[0] ?? 0);
    const before = { from: (bounds[0] ?? 0) - length, until: bounds[0] ?? 0 };
    const seen = happenings('active_users', lastDay).filter(({ time }) => time >= before.from && time < before.until);
    const total = await countActiveBefore(side.db, 'internal', unit, before);
    expect(total, `${count} ${unit}s`).toBe(new Set(seen.map(({ n }) => n)).size);
  }
});

test('an anonymous user counts as a sign-up, a sign-in and an active user from the upgrade on', async () => {
  const now = timeOf(lastDay, 23);
  const bounds = boundsUntil('month', 3, now);
  const total = async (measure: Measure) => {
    const [all] = await countSeries(side.db, 'internal', { measure, unit: 'month', dimension: 'all', bounds, now });
    return (all?.counts ?? []).reduce((sum, count) => sum + count, 0);
  };
  const before = await total('sign_ups');
  const data = { userId: idOf(anonymous), projectId: 'internal', method: 'password' as const, at: at(lastDay) };
  await side.record(`user-${idOf(anonymous)}`, { type: 'UserUpgraded', data });
  await vi.waitFor(async () => expect(await total('sign_ups')).toBe(before + 1), { timeout: pollDeadlineMs });
});

describe('counts of one country', () => {
  const counts = async () => {
    const { rows } = await pool.query(
      `select unit, start::text, value, count from activity.counts
       where project_id = 'travels' and measure = 'active_users' and dimension = 'country' order by 1, 2, 3`,
    );
    return rows.map(({ unit, start, value, count }) => [unit, start, value, count].join(' '));
  };
  const useFrom = async (day: number, country: string) => {
    const activity = createActivity({ pool, logger: createLogger({ level: 'silent' }) });
    const who = { projectId: 'travels', userId: idOf(99), sessionId: idOf(99), ip: null, device: null, language: null };
    activity.record({ ...who, at: at(day), country });
    await activity.flush();
    await activity.close();
  };

  test('wait until all events are projected, and follow a user to another country within the week', async () => {
    await useFrom(0, 'NO');
    await roll(1, false);
    expect(await counts()).toEqual([]);
    await roll(1);
    const day = 'day 2026-03-02 NO 1';
    expect(await counts()).toEqual([day, 'month 2026-03-01 NO 1', 'week 2026-03-02 NO 1']);
    await useFrom(1, 'FI');
    await Promise.all([roll(2), roll(2)]);
    expect(await counts()).toEqual([day, 'day 2026-03-03 FI 1', 'month 2026-03-01 FI 1', 'week 2026-03-02 FI 1']);
  });
});
