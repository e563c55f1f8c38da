import type { MembershipEvent } from '@gatebook/domain/membership/events';
import { defaultProjectConfig, defaultProjectSettings, noProjectSecrets } from '@gatebook/domain/project/config';
import type { TeamEvent } from '@gatebook/domain/team/events';
import type { UserEvent } from '@gatebook/domain/user/events';
import { unknownSignIn } from '@gatebook/domain/user/events';
import { createRecord, testMetadata } from '@gatebook/projections/testing/test-log';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ReadSide, startReadSide } from '../testing/read-side.ts';
import { countUsers, findUsers, type TimeRange, type UserFilters, type UserSort, userSorts } from './find.ts';
import { listUsers } from './list.ts';
import { listUsersByActivity } from './list-by-activity.ts';
import type { UserListOptions } from './list-filters.ts';

const start = Date.parse('2026-01-15T12:00:00.000Z');
const earlierDay = '2026-01-10';
const idOf = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;
const projectId = 'listed';
const teamId = idOf(900);

type Person = {
  id: string;
  name: string | null;
  email: string | null;
  signedUpAt: number;
  /** Milliseconds since 1970; null: never active. */
  activeAt: number | null;
  isInTeam: boolean;
  isAnonymous: boolean;
  isRestricted: boolean;
  isVerified: boolean;
  hasPassword: boolean;
  provider: string | null;
  country: string | null;
  /** Of the latest activity. */
  activeIn: string | null;
};
const names = ['Ann Lee', 'Anna', null, 'Bo 50%', 'xq_rare', 'Ünal', ' anton', 'B\\o', '', 'long '.repeat(20)];
const people: Person[] = Array.from({ length: 60 }, (_, n) => ({
  id: idOf(n + 1),
  name: names[n % names.length] ?? null,
  email: n % 13 === 12 ? null : n % 7 === 0 ? `rare${n}@zz.example` : `p${n}@mail.example`,
  signedUpAt: start + Math.floor(n / 3) * 1000,
  activeAt: n % 3 === 0 ? null : start + ((n * 17) % 40) * 1000,
  isInTeam: n % 4 === 0,
  isAnonymous: n % 5 === 1,
  isRestricted: n % 6 === 2,
  isVerified: n % 7 !== 3 && n % 13 !== 12,
  hasPassword: n % 2 === 0,
  provider: n % 8 === 1 ? 'github' : n % 8 === 3 ? 'google' : null,
  country: n % 9 === 4 ? 'SE' : n % 9 === 5 ? 'DE' : null,
  activeIn: n % 3 === 0 ? null : n % 3 === 1 ? 'DE' : n % 4 === 1 ? null : 'SE',
}));

let side: ReadSide;
beforeAll(async () => {
  side = await startReadSide();
  const record = createRecord(side.store, { ...testMetadata, projectId });
  // A search depends on the number of users that the project counts.
  const parts = { config: defaultProjectConfig, secrets: noProjectSecrets, settings: defaultProjectSettings };
  const facts = { projectId, subjectId: idOf(800), displayName: 'P', description: '', isProductionMode: false };
  let position = await record(`project-${projectId}`, {
    type: 'ProjectCreated',
    data: { ...facts, ...parts, at: new Date(start).toISOString() },
  });
  for (const {
    id: userId,
    name,
    email,
    signedUpAt,
    isInTeam,
    isAnonymous,
    isVerified,
    isRestricted,
    ...rest
  } of people) {
    const at = new Date(signedUpAt).toISOString();
    const profile = { displayName: name, profileImageUrl: null, isAnonymous, method: 'server' as const };
    const metadata = { clientMetadata: null, clientReadOnlyMetadata: null, serverMetadata: null };
    const created: UserEvent = {
      type: 'UserCreated',
      data: { ...unknownSignIn, userId, projectId, ...profile, ...metadata, at },
    };
    const flags = { isPrimary: true, isVerified, usedForAuth: true, channelType: 'email' as const };
    const joined: MembershipEvent = {
      type: 'TeamMemberAdded',
      data: { teamId, userId, projectId, permissionKeys: [], how: 'added', at },
    };
    position = await record(`user-${userId}`, created);
    if (email !== null) {
      const data = { userId, channelId: userId.replace(/^0/, '1'), value: email, ...flags, at };
      position = await record(`user-${userId}`, { type: 'ContactChannelAdded', data });
    }
    if (rest.hasPassword) {
      const data = { userId, passwordHash: 'hash', origin: 'sign_up' as const, at };
      position = await record(`user-${userId}`, { type: 'UserPasswordSet', data });
    }
    if (rest.provider !== null) {
      const flags = { allowSignIn: true, allowConnectedAccounts: true };
      const account = { provider: rest.provider, accountRef: userId, accountId: userId, email, id: null };
      position = await record(`user-${userId}`, {
        type: 'OAuthAccountLinked',
        data: { userId, ...account, ...flags, at },
      });
    }
    if (rest.country !== null) {
      const data = { userId, countryCode: rest.country, at };
      position = await record(`user-${userId}`, { type: 'UserCountryCodeChanged', data });
    }
    if (isRestricted) {
      const data = { userId, reason: null, privateDetails: null, at };
      position = await record(`user-${userId}`, { type: 'UserRestricted', data });
    }
    if (isInTeam) position = await record(`membership-${teamId}.${userId}`, joined);
  }
  const team: TeamEvent = {
    type: 'TeamCreated',
    data: {
      teamId,
      projectId,
      subjectId: teamId,
      displayName: 'T',
      profileImageUrl: null,
      creatorId: null,
      clientMetadata: null,
      clientReadOnlyMetadata: null,
      serverMetadata: null,
      at: new Date(start).toISOString(),
    },
  };
  position = await record(`team-${teamId}`, team);
  await side.readModels.reached(position);
  const active = people.filter(({ activeAt }) => activeAt !== null);
  await side.database.pool.query(
    `insert into activity.users (user_id, project_id, last_active_at, country)
     select id, $1, to_timestamp(at / 1000.0), country from unnest($2::uuid[], $3::float8[], $4::text[]) as a(id, at, country)`,
    [
      projectId,
      active.map(({ id }) => id),
      active.map(({ activeAt }) => activeAt),
      active.map(({ activeIn }) => activeIn),
    ],
  );
  await side.database.pool.query(
    'insert into activity.days (project_id, day, user_id) select $1, $2, unnest($3::uuid[])',
    [projectId, earlierDay, people.filter(wasActive).map(({ id }) => id)],
  );
});
afterAll(() => side.close());

const compareKeys = (one: number | Buffer, other: number | Buffer): number =>
  Buffer.isBuffer(one) && Buffer.isBuffer(other) ? Buffer.compare(one, other) : Number(one) - Number(other);

/** A simple reference implementation of the search. */
function expectedIds(
  { query, isDescending, teamId: team, onlyAnonymous = false, excluded = [] }: UserListOptions,
  keyOf: (person: Person) => number | Buffer = ({ signedUpAt }) => signedUpAt,
): string[] {
  const text = (query ?? '').toLowerCase();
  const found = people.filter(
    ({ id, name, email, isInTeam, isAnonymous, isRestricted, isVerified }) =>
      (team === null || isInTeam) &&
      (isAnonymous ? !excluded.includes('anonymous') : !onlyAnonymous) &&
      !(isRestricted && excluded.includes('restricted_by_administrator')) &&
      (isVerified || isAnonymous || !excluded.includes('email_not_verified')) &&
      (text === '' || id === text || (name ?? '').toLowerCase().includes(text) || (email ?? '').includes(text)),
  );
  const inOrder = found.toSorted((one, other) => compareKeys(keyOf(one), keyOf(other)) || (one.id < other.id ? -1 : 1));
  return (isDescending ? inOrder.toReversed() : inOrder).map(({ id }) => id);
}

const texts = [
  null,
  '',
  'a',
  'n',
  'xq',
  'an',
  'ann',
  'rare',
  'zz.ex',
  'p1@',
  '1@m',
  '@zz',
  'rare7@zz.example',
  '9@mail.example',
  '%',
  '_',
  '\\',
  'ÜN',
  'nobody',
  idOf(17),
];
const filters = fc.oneof(
  fc.record({ onlyAnonymous: fc.constant(true) }),
  fc.record({
    excluded: fc.subarray(['anonymous', 'restricted_by_administrator', 'email_not_verified'] as const),
  }),
);

const size = fc.integer({ min: 1, max: 70 });
const windows = fc.record({ first: size, most: size, matches: size });

test('consecutive pages contain every matching user once, in order', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.record({
        query: fc.constantFrom(...texts),
        limit: fc.integer({ min: 1, max: 25 }),
        isDescending: fc.boolean(),
        teamId: fc.constantFrom(null, teamId),
        window: windows,
        filters,
      }),
      async ({ window, filters: kinds, ...rest }) => {
        const options = { ...rest, ...kinds };
        const seen: string[] = [];
        let cursor: string | null = null;
        let pages = 0;
        do {
          const page = await listUsers(side.db, projectId, { ...options, cursor }, window);
          expect(page.items.length).toBeLessThanOrEqual(options.limit);
          seen.push(...page.items.map(({ id }) => id));
          cursor = page.nextCursor;
          pages += 1;
        } while (cursor !== null && pages < 200);
        expect(seen).toEqual(expectedIds({ ...options, cursor: null }));
      },
    ),
    { numRuns: 120 },
  );
});

test('a cursor of an unknown user, or of one in another project, gives an empty page', async () => {
  const options = { teamId: null, cursor: idOf(999), limit: 5, isDescending: false };
  for (const query of [null, 'ann', 'a']) {
    expect(await listUsers(side.db, projectId, { ...options, query })).toEqual({ items: [], nextCursor: null });
    expect((await listUsers(side.db, 'another', { ...options, cursor: idOf(1), query })).items).toEqual([]);
    expect((await listUsersByActivity(side.db, projectId, { ...options, query })).items).toEqual([]);
    expect((await listUsersByActivity(side.db, 'another', { ...options, cursor: idOf(1), query })).items).toEqual([]);
  }
});

test('a page begins at the place of its cursor, even if that user was deleted since', async () => {
  const signedUpAt = start + 5_000;
  const gone = { id: idOf(999), signedUpAt };
  const isAfter = { desc: (at: number) => at <= signedUpAt, asc: (at: number) => at > signedUpAt };
  const signUps = new Map(people.map(({ id, signedUpAt: at }) => [id, at]));
  for (const query of [null, 'ann', 'a']) {
    for (const isDescending of [true, false]) {
      const options = { query, teamId: null, isDescending, limit: 60, cursor: `${gone.signedUpAt}.${gone.id}` };
      const found = await listUsers(side.db, projectId, options);
      const rest = expectedIds({ ...options, cursor: null }).filter((id) =>
        isAfter[isDescending ? 'desc' : 'asc'](signUps.get(id) ?? 0),
      );
      expect(found.items.map(({ id }) => id)).toEqual(rest);
    }
  }
});

test('a page by name or address begins at the place of a user who is gone', async () => {
  for (const sort of ['name', 'email'] as const) {
    const key = textKey('p2');
    const options = { sort, query: null, teamId: null, isDescending: false, limit: 60 };
    const { items } = await listUsers(side.db, projectId, { ...options, cursor: `${key.toString('hex')}.${idOf(99)}` });
    const rest = people.filter((person) => compareKeys(keys[sort](person), key) > 0).map(({ id }) => id);
    expect(rest.length).toBeGreaterThan(10);
    expect(items.map(({ id }) => id).toSorted()).toEqual(rest.toSorted());
  }
});

/** On the earlier day. */
const wasActive = ({ id }: Person) => Number.parseInt(id.slice(-4), 16) % 2 === 0;
const lastActive = ({ activeAt, signedUpAt }: Person) => activeAt ?? signedUpAt;
const textKey = (text: string) => Buffer.from(text.toLowerCase().normalize('NFD').slice(0, 40));
const keys: Readonly<Record<UserSort, (person: Person) => number | Buffer>> = {
  signedUp: ({ signedUpAt }) => signedUpAt,
  active: lastActive,
  name: ({ name, email }) => textKey(name?.trim() || (email ?? '\u{10FFFF}')),
  email: ({ email }) => textKey(email ?? '\u{10FFFF}'),
};

test('consecutive pages by activity contain every matching user once, by activity or sign-up', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.record({
        query: fc.constantFrom(...texts),
        limit: fc.integer({ min: 1, max: 25 }),
        isDescending: fc.boolean(),
        teamId: fc.constantFrom(null, teamId),
        window: windows,
        filters,
      }),
      async ({ window, filters: kinds, ...rest }) => {
        const options = { ...rest, ...kinds };
        const seen: string[] = [];
        let cursor: string | null = null;
        let pages = 0;
        do {
          const page = await listUsersByActivity(side.db, projectId, { ...options, cursor }, window);
          expect(page.items.length).toBeLessThanOrEqual(options.limit);
          seen.push(...page.items.map(({ id }) => id));
          cursor = page.nextCursor;
          pages += 1;
        } while (cursor !== null && pages < 200);
        expect(seen).toEqual(expectedIds({ ...options, cursor: null }, lastActive));
      },
    ),
    { numRuns: 120 },
  );
});

test('a page by activity begins at the place of its cursor, even if that user was active since', async () => {
  const options = { teamId: null, query: null, isDescending: true, limit: 5 };
  const first = await listUsersByActivity(side.db, projectId, { ...options, cursor: null });
  const expected = expectedIds({ ...options, cursor: null }, lastActive);
  const [moved = ''] = expected.slice(5, 6);
  const setActive = (at: number) =>
    side.database.pool.query(
      `insert into activity.users (user_id, project_id, last_active_at) values ($1, $2, to_timestamp($3 / 1000.0))
       on conflict (user_id) do update set last_active_at = excluded.last_active_at`,
      [moved, projectId, at],
    );
  await setActive(start + 3_600_000);
  const second = await listUsersByActivity(side.db, projectId, { ...options, cursor: first.nextCursor });
  expect(second.items.map(({ id }) => id)).toEqual(expected.slice(6, 11));
  const byId = await listUsersByActivity(side.db, projectId, { ...options, cursor: moved });
  expect(byId.items.map(({ id }) => id)).toEqual([moved, ...expected.slice(0, 4)]);
  const of = people.find(({ id }) => id === moved);
  if (of?.activeAt != null) await setActive(of.activeAt);
  else await side.database.pool.query('delete from activity.users where user_id = $1', [moved]);
});

const anyFlag = fc.constantFrom(null, true, false);
/** Few minutes around all sign-ups and activities, in seconds. */
const anyRange: fc.Arbitrary<TimeRange> = fc.record({
  from: fc.constantFrom(null, start, start + 7_000),
  until: fc.constantFrom(null, start + 12_000, start + 25_000),
});
const anyFilters: fc.Arbitrary<UserFilters> = fc.record({
  methods: fc.constantFrom(null, ['password'], ['github'], ['password', 'google'], ['passkey', 'otp']),
  isVerified: anyFlag,
  isRestricted: anyFlag,
  isAnonymous: anyFlag,
  countries: fc.constantFrom(null, ['SE'], ['SE', 'DE'], ['FR']),
  activeOn: fc.constantFrom(null, null, [earlierDay], ['2026-01-09', earlierDay], ['2026-01-09']),
  activeIn: fc.constantFrom(null, null, ['SE'], ['SE', 'DE'], ['FR'], ['ZZ']),
  among: fc.constantFrom(
    null,
    null,
    [],
    people.filter((_, n) => n % 3 === 1).map(({ id }) => id),
  ),
  signedUp: anyRange,
  active: anyRange,
});
const isWithin = (at: number, { from, until }: TimeRange) =>
  (from === null || at >= from) && (until === null || at < until);
const isEqual = (wanted: boolean | null, actual: boolean) => wanted === null || wanted === actual;
const matches = (person: Person, { methods, countries, activeOn, activeIn, ...filters }: UserFilters) =>
  (methods === null ||
    [person.hasPassword ? 'password' : null, person.provider].some((one) => one && methods.includes(one))) &&
  isEqual(filters.isVerified, person.isVerified) &&
  isEqual(filters.isRestricted, person.isRestricted) &&
  isEqual(filters.isAnonymous, person.isAnonymous) &&
  (countries === null || (person.country !== null && countries.includes(person.country))) &&
  (activeOn === null || (activeOn.includes(earlierDay) && wasActive(person))) &&
  (activeIn === null || activeIn.includes(person.activeIn ?? 'ZZ')) &&
  (filters.among === null || filters.among.includes(person.id)) &&
  isWithin(person.signedUpAt, filters.signedUp) &&
  isWithin(lastActive(person), filters.active);

test('consecutive pages and counts of a search contain the users who match all filters', async () => {
  const byId = new Map(people.map((person) => [person.id, person]));
  await fc.assert(
    fc.asyncProperty(
      fc.record({
        query: fc.constantFrom(...texts),
        limit: fc.integer({ min: 1, max: 25 }),
        isDescending: fc.boolean(),
        sortedBy: fc.constantFrom(...userSorts),
        teamId: fc.constantFrom(null, null, teamId),
        filters: anyFilters,
        window: fc.record({
          byKey: fc.integer({ min: 1, max: 70 }),
          byActivity: fc.integer({ min: 1, max: 70 }),
          counted: fc.integer({ min: 1, max: 70 }),
        }),
      }),
      async ({ window, ...options }) => {
        const expected = expectedIds({ ...options, cursor: null }, keys[options.sortedBy]).filter((id) =>
          matches(byId.get(id) as Person, options.filters),
        );
        const seen: string[] = [];
        let cursor: string | null = null;
        let pages = 0;
        do {
          const page = await findUsers(side.db, projectId, { ...options, cursor }, window);
          expect(page.items.length).toBeLessThanOrEqual(options.limit);
          seen.push(...page.items.map(({ id }) => id));
          cursor = page.nextCursor;
          pages += 1;
        } while (cursor !== null && pages < 200);
        expect(seen).toEqual(expected);
        const { count, isComplete } = await countUsers(side.db, projectId, options, window.counted);
        expect(count).toBeLessThanOrEqual(expected.length);
        if (isComplete) expect(count).toBe(expected.length);
        expect((await countUsers(side.db, projectId, options)).count).toBe(expected.length);
      },
    ),
    { numRuns: 120 },
  );
});
