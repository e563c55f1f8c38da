import { unknownSignIn } from '@gatebook/domain/user/events';
import { createRandom } from '@gatebook/eventlog/testing/races';
import { createRecord, testMetadata } from '@gatebook/projections/testing/test-log';
import { pause } from '@gatebook/runtime/pause';
import { pollDeadlineMs } from '@gatebook/runtime/testing/deadlines';
import { fixedTime as at } from '@gatebook/runtime/testing/fixed';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ReadDb } from '../read-db.ts';
import { startReadSide } from '../testing/read-side.ts';
import { fromPublicId, toPublicId } from './event-id.ts';
import { everyPublicEvent, type FeedFilters, feedStart, readFeed } from './feed.ts';
import { findPublicEvents } from './find-public-events.ts';

let side: Awaited<ReturnType<typeof startReadSide>>;
const user = '00000000-0000-4000-8000-000000000001';

beforeAll(async () => {
  side = await startReadSide();
});
afterAll(() => side.close());

test('the events of a team are those of all events that name it, whatever happened to its members', async () => {
  const { store, readModels, db } = side;
  const random = createRandom(5);
  const pickOf = (items: readonly string[]) => items[Math.floor(random() * items.length)] ?? '';
  const projectId = 'teams';
  const of = { projectId, at };
  const idsOf = (first: number) => [1, 2, 3, 4, 5, 6].map((n) => `00000000-0000-4000-a000-${first}0000000000${n}`);
  const [users, teams] = [idsOf(1), idsOf(2)];
  const record = createRecord(store, (stream) => ({ ...testMetadata, projectId, requestId: `${stream}.${random()}` }));
  const metadata = { clientMetadata: null, clientReadOnlyMetadata: null, serverMetadata: null };
  const person = { profileImageUrl: null, isAnonymous: false, method: 'password' as const, displayName: 'Ann' };
  for (const userId of users)
    await record(`user-${userId}`, {
      type: 'UserCreated',
      data: { ...unknownSignIn, ...of, userId, ...person, ...metadata },
    });
  const [states, members] = [new Map<string, string>(), new Set<string>()];
  for (let step = 0; step < 300; step += 1) {
    const [userId, teamId, kind] = [pickOf(users), pickOf(teams), random()];
    const [user, membership] = [`user-${userId}`, `membership-${teamId}.${userId}`];
    const state = states.get(userId) ?? 'active';
    if (state === 'deleted' || states.get(teamId) === 'deleted') continue;
    if (kind < 0.004) {
      await record(`team-${teamId}`, { type: 'TeamDeleted', data: { ...of, teamId, wasScheduled: false } });
      states.set(teamId, 'deleted');
    } else if (kind > 0.5 && state === 'active') {
      const how = members.has(membership) ? 'left' : 'added';
      const data = { ...of, teamId, userId, how, permissionKeys: ['reader'] };
      await record(membership, { type: how === 'left' ? 'TeamMemberRemoved' : 'TeamMemberAdded', data });
      if (how === 'left') members.delete(membership);
      else members.add(membership);
    } else if (kind < 0.02) {
      const data = { ...of, userId, addressRefs: [], wasScheduled: state === 'awaiting' };
      await record(user, { type: 'UserDeleted', data });
      states.set(userId, 'deleted');
    } else {
      const data = { ...of, userId, deleteAt: at, isByUser: false };
      await record(user, { type: state === 'active' ? 'UserDeletionScheduled' : 'UserDeletionCanceled', data });
      states.set(userId, state === 'active' ? 'awaiting' : 'active');
    }
  }
  const head = await store.head();
  await readModels.reached(head, pollDeadlineMs, [], { group: 'events' });
  const parts = { db, store, readModels: { position: () => head, isQuarantined: () => false } };
  const readAll = async (filters: FeedFilters, limit: number) => {
    const told: { id: string; type: string; team: unknown }[] = [];
    for (let [from, hasMore] = [feedStart, true]; hasMore; ) {
      const page = await readFeed(parts, projectId, filters, { from, limit });
      told.push(
        ...page.items.map(({ event: { id, type, data } }) => ({
          ...{ id, type },
          team: type.startsWith('team.') ? data.id : data.team_id,
        })),
      );
      [from, hasMore] = [page.next, page.hasMore];
    }
    return told;
  };
  const all = await readAll(everyPublicEvent, 1_000);
  expect(all.filter(({ type }) => type === 'team_membership.deleted').length).toBeGreaterThan(30);
  expect(all.filter(({ type }) => type === 'team.deleted').length).toBeGreaterThan(0);
  for (const teamId of teams) {
    const expected = all.filter(({ team }) => team === teamId);
    for (const limit of [1, 3, 1_000]) expect(await readAll({ ...everyPublicEvent, teamId }, limit)).toEqual(expected);
    const types = ['team_membership.deleted'] as const;
    expect(await readAll({ ...everyPublicEvent, teamId, types }, 2)).toEqual(
      expected.filter(({ type }) => type === 'team_membership.deleted'),
    );
  }
});

test('a write is told once all of it is projected', async () => {
  const { store, readModels, db } = side;
  const record = createRecord(store, { ...testMetadata, projectId: 'small' });
  const userId = user;
  const metadata = { clientMetadata: null, clientReadOnlyMetadata: null, serverMetadata: null };
  const person = { profileImageUrl: null, isAnonymous: false, method: 'password' as const, ...metadata };
  await record(
    `user-${userId}`,
    { type: 'UserCreated', data: { ...unknownSignIn, userId, projectId: 'small', displayName: 'Ann', ...person, at } },
    { type: 'UserRenamed', data: { userId, displayName: 'Bea', at } },
  );
  const head = await store.head();
  await readModels.reached(head, pollDeadlineMs, [], { group: 'events' });
  const readUpTo = async (bound: bigint, quarantined: string | null = null) => {
    const isQuarantined = (_: readonly string[], group = 'main') => group === quarantined;
    const parts = { db, store, readModels: { position: () => bound, isQuarantined } };
    const { items, next } = await readFeed(parts, 'small', everyPublicEvent, { from: feedStart, limit: 10 });
    return { told: items.map(({ event: { type, data } }) => [type, data.display_name]), next: next.position };
  };
  expect(await readUpTo(head - 1n)).toEqual({ told: [], next: head - 1n });
  expect(await readUpTo(head)).toEqual({ told: [['user.created', 'Bea']], next: head });
  // The rows of a quarantined project lack events, which come later at their old places.
  for (const group of ['events', 'main']) expect(await readUpTo(head, group)).toEqual({ told: [], next: 0n });
});

test('nothing of a user is told between their deletion and their restoration', async () => {
  const { store, readModels, db } = side;
  const of = { userId: '00000000-0000-4000-8000-000000000003', projectId: 'grace' };
  const record = createRecord(store, { ...testMetadata, projectId: of.projectId });
  const metadata = { clientMetadata: null, clientReadOnlyMetadata: null, serverMetadata: null };
  const person = { profileImageUrl: null, isAnonymous: false, method: 'password' as const, displayName: 'Ann' };
  const channelId = user;
  const channel = { userId: of.userId, channelId, channelType: 'email' as const, value: 'ann@example.com' };
  const stream = `user-${of.userId}`;
  await record(
    stream,
    { type: 'UserCreated', data: { ...unknownSignIn, ...of, ...person, ...metadata, at } },
    { type: 'ContactChannelAdded', data: { ...channel, isPrimary: true, isVerified: false, usedForAuth: true, at } },
  );
  // Each at another time, so that it is another write.
  await pause(5);
  await record(stream, { type: 'UserDeletionScheduled', data: { ...of, deleteAt: at, isByUser: false, at } });
  // The owner of the mailbox signs up with the address.
  const released = { userId: of.userId, channelId, usedForAuth: false, at };
  await pause(5);
  await record(stream, { type: 'ContactChannelAuthChanged', data: released });
  await pause(5);
  await record(stream, { type: 'UserDeletionCanceled', data: { ...of, at } });
  await readModels.reached(await store.head(), pollDeadlineMs, [], { group: 'events' });
  const parts = { db, store, readModels: { position: () => 10n ** 9n, isQuarantined: () => false } };
  const { items } = await readFeed(parts, of.projectId, everyPublicEvent, { from: feedStart, limit: 10 });
  const told = ['user.created', 'contact_channel.created'];
  expect(items.map(({ event }) => event.type)).toEqual([...told, 'user.deleted', ...told]);
});

test('a page ends within the users who had selected a deleted team, and the next one continues there', async () => {
  const { store, readModels, db } = side;
  const projectId = 'large';
  const record = createRecord(store, { ...testMetadata, projectId });
  const idOf = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;
  const teamId = idOf(0);
  const metadata = { clientMetadata: null, clientReadOnlyMetadata: null, serverMetadata: null };
  const person = { profileImageUrl: null, isAnonymous: false, method: 'password' as const, displayName: 'Ann' };
  const count = 250;
  for (let n = 1001; n <= 1000 + count; n += 1) {
    const userId = idOf(n);
    await record(
      `user-${userId}`,
      { type: 'UserCreated', data: { ...unknownSignIn, userId, projectId, ...person, ...metadata, at } },
      { type: 'TeamSelected', data: { userId, teamId, at } },
    );
  }
  await pause(5);
  await record(`team-${teamId}`, { type: 'TeamDeleted', data: { teamId, projectId, wasScheduled: false, at } });
  const head = await store.head();
  await readModels.reached(head, pollDeadlineMs, [], { group: 'events' });
  const parts = { db, store, readModels: { position: () => head, isQuarantined: () => false } };
  const filters = { ...everyPublicEvent, types: ['team.deleted', 'user.updated'] as const };
  const sizes: number[] = [];
  const told: string[] = [];
  const ids = new Set<string>();
  for (let from = feedStart, hasMore = true; hasMore; ) {
    const page = await readFeed(parts, projectId, filters, { from, limit: 1_000 });
    sizes.push(page.items.length);
    for (const { event } of page.items) {
      ids.add(event.id);
      told.push(String(event.data.id));
    }
    [from, hasMore] = [page.next, page.hasMore];
  }
  expect(sizes).toEqual([201, count - 200]);
  expect(told).toEqual([teamId, ...Array.from({ length: count }, (_, n) => idOf(1001 + n))]);
  expect(ids.size).toBe(count + 1);
  let read = 0;
  const readAt: typeof store.readAt = (positions, ...rest) => {
    read += positions.length;
    return store.readAt(positions, ...rest);
  };
  const counting = { ...parts, db: countRows(db, (rows) => (read += rows)), store: { ...store, readAt } };
  const found = await findPublicEvents(counting, projectId, [...ids]);
  expect([...found.values()].map(({ data }) => data.id)).toEqual(told);
  // Two rows, and the users and memberships of each event once.
  expect(read).toBeLessThan(3 * count);
});

const countRows = (db: ReadDb, count: (rows: number) => void): ReadDb => ({
  ...db,
  rows: async (...given) => {
    const rows = await db.rows<never>(...given);
    count(rows.length);
    return rows;
  },
});

test('a page of large events loads little more than it contains', async () => {
  const { store, readModels, db } = side;
  const projectId = 'images';
  const record = createRecord(store, { ...testMetadata, projectId });
  const metadata = { clientMetadata: null, clientReadOnlyMetadata: null, serverMetadata: null };
  const person = { isAnonymous: false, method: 'password' as const, displayName: 'Ann' };
  const count = 60;
  for (let n = 0; n < count; n += 1) {
    const userId = `00000000-0000-4000-9000-${String(n).padStart(12, '0')}`;
    const profileImageUrl = `data:image/png;base64,${String(n).padStart(1_000_000, 'A')}`;
    const data = { ...unknownSignIn, userId, projectId, ...person, profileImageUrl, ...metadata, at };
    await record(`user-${userId}`, { type: 'UserCreated', data });
  }
  const head = await store.head();
  await readModels.reached(head, pollDeadlineMs, [], { group: 'events' });
  let loaded = 0;
  const readEarlier: typeof store.readEarlier = async (...given) => {
    const events = await store.readEarlier(...given);
    loaded += JSON.stringify(events.map(({ data }) => data)).length;
    return events;
  };
  const readModelsAtHead = { position: () => head, isQuarantined: () => false };
  const parts = { db, store: { ...store, readEarlier }, readModels: readModelsAtHead };
  let told = 0;
  for (let [from, hasMore] = [feedStart, true]; hasMore; ) {
    loaded = 0;
    const page = await readFeed(parts, projectId, everyPublicEvent, { from, limit: 1_000 });
    const bytes = JSON.stringify(page.items.map(({ event }) => event.data)).length;
    expect(bytes).toBeLessThan(6_000_000);
    expect(loaded).toBeLessThan(12_000_000);
    told += page.items.length;
    [from, hasMore] = [page.next, page.hasMore];
  }
  expect(told).toBe(count);
});

test('an ID names the place of an event among up to a million of one row', () => {
  for (const nth of [0, 1, 65_535, 65_536, 1_048_575]) {
    const origin = { eventId: user, index: 7, nth };
    expect(fromPublicId(toPublicId(origin))).toEqual(origin);
  }
});
