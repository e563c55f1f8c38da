import type { MembershipEvent } from '@gatebook/domain/membership/events';
import type { TeamEvent } from '@gatebook/domain/team/events';
import type { UserEvent } from '@gatebook/domain/user/events';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ReadSide, startReadSide } from '../testing/read-side.ts';
import { listUsers, type UserListOptions } from './list.ts';

const start = Date.parse('2026-01-15T12:00:00.000Z');
const idOf = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;
const projectId = 'listed';
const teamId = idOf(900);

type Person = { id: string; name: string | null; email: string; signedUpAt: number; isInTeam: boolean };
const names = ['Ann Lee', 'Anna', null, 'Bo 50%', 'xq_rare', 'Ünal', 'anton', 'B\\o'];
const people: Person[] = Array.from({ length: 60 }, (_, n) => ({
  id: idOf(n + 1),
  name: names[n % names.length] ?? null,
  email: n % 7 === 0 ? `rare${n}@zz.example` : `p${n}@mail.example`,
  signedUpAt: start + Math.floor(n / 3) * 1000,
  isInTeam: n % 4 === 0,
}));

let side: ReadSide;
beforeAll(async () => {
  side = await startReadSide();
  let position = 0n;
  for (const { id: userId, name, email, signedUpAt, isInTeam } of people) {
    const at = new Date(signedUpAt).toISOString();
    const profile = { displayName: name, profileImageUrl: null, isAnonymous: false, method: 'server' as const };
    const metadata = { clientMetadata: null, clientReadOnlyMetadata: null, serverMetadata: null };
    const created: UserEvent = { type: 'UserCreated', data: { userId, projectId, ...profile, ...metadata, at } };
    const flags = { isPrimary: true, isVerified: true, usedForAuth: true, channelType: 'email' as const };
    const channel = { userId, channelId: userId.replace(/^0/, '1'), value: email, ...flags, at };
    const joined: MembershipEvent = {
      type: 'TeamMemberAdded',
      data: { teamId, userId, projectId, permissionKeys: [], how: 'added', at },
    };
    position = await side.record(`user-${userId}`, created, { type: 'ContactChannelAdded', data: channel });
    if (isInTeam) position = await side.record(`membership-${teamId}.${userId}`, joined);
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
  position = await side.record(`team-${teamId}`, team);
  // The rows of channels take their project from the event's metadata, which is `internal` here.
  await side.readModels.reached(position);
  await side.database.pool.query(
    `update ${side.readModels.schema('main')}.contact_channels set project_id = $1 where user_id = any($2)`,
    [projectId, people.map(({ id }) => id)],
  );
});
afterAll(() => side.close());

/** A simple reference implementation of the search. */
function expectedIds({ query, isDescending, teamId: team }: UserListOptions): string[] {
  const text = (query ?? '').toLowerCase();
  const found = people.filter(
    ({ id, name, email, isInTeam }) =>
      (team === null || isInTeam) &&
      (text === '' || id === text || (name ?? '').toLowerCase().includes(text) || email.toLowerCase().includes(text)),
  );
  const inOrder = found.toSorted((one, other) => one.signedUpAt - other.signedUpAt || (one.id < other.id ? -1 : 1));
  return (isDescending ? inOrder.toReversed() : inOrder).map(({ id }) => id);
}

test('consecutive pages contain every matching user once, in order', async () => {
  const texts = [null, '', 'a', 'n', 'xq', 'an', 'ann', 'rare', 'zz.ex', '%', '_', '\\', 'ÜN', 'nobody', idOf(17)];
  await fc.assert(
    fc.asyncProperty(
      fc.record({
        query: fc.constantFrom(...texts),
        limit: fc.integer({ min: 1, max: 25 }),
        isDescending: fc.boolean(),
        teamId: fc.constantFrom(null, teamId),
        window: fc.integer({ min: 1, max: 70 }),
      }),
      async ({ window, ...options }) => {
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

test('a list without a limit is one page', async () => {
  const options = { teamId: null, cursor: null, limit: null, isDescending: false };
  for (const query of [null, 'ann', 'a']) {
    const { items, nextCursor } = await listUsers(side.db, projectId, { ...options, query });
    expect(items.map(({ id }) => id)).toEqual(expectedIds({ ...options, query }));
    expect(nextCursor).toBeNull();
  }
});

test('a cursor of an unknown user, or of one in another project, gives an empty page', async () => {
  const options = { teamId: null, cursor: idOf(999), limit: 5, isDescending: false };
  for (const query of [null, 'ann', 'a']) {
    expect(await listUsers(side.db, projectId, { ...options, query })).toEqual({ items: [], nextCursor: null });
    expect((await listUsers(side.db, 'another', { ...options, cursor: idOf(1), query })).items).toEqual([]);
  }
});
