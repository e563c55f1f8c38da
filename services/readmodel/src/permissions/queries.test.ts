import type { UserEvent } from '@gatebook/domain/user/events';
import { unknownSignIn } from '@gatebook/domain/user/events';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { SortKey } from '../list-pages.ts';
import { type ReadSide, startReadSide } from '../testing/read-side.ts';
import { countGrants, findHolders } from './holders.ts';
import { listProjectGrants, type ProjectGrantRow } from './queries.ts';

const at = '2026-01-15T12:00:00.000Z';
const projectId = 'internal';
const idOf = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;
/** Number of grants by user. */
const counts = [1, 3, 2, 3, 1];

let side: ReadSide;
beforeAll(async () => {
  side = await startReadSide();
  let position = 0n;
  for (const [nth, count] of counts.entries()) {
    const userId = idOf(nth + 1);
    const profile = { displayName: null, profileImageUrl: null, isAnonymous: false, method: 'server' as const };
    const metadata = { clientMetadata: null, clientReadOnlyMetadata: null, serverMetadata: null };
    const created: UserEvent = {
      type: 'UserCreated',
      data: { ...unknownSignIn, userId, projectId, ...profile, ...metadata, at },
    };
    const granted = Array.from({ length: count }, (_, key): UserEvent => {
      return { type: 'ProjectPermissionGranted', data: { userId, permissionKey: `permission-${key}`, at } };
    });
    position = await side.record(`user-${userId}`, created, ...granted);
  }
  await side.readModels.reached(position);
});
afterAll(() => side.close());

test.each([3, 4, 5, 100])('pages of %i grants never split the grants of one holder', async (limit) => {
  const found: ProjectGrantRow[][] = [];
  let from: SortKey | null = null;
  do {
    const page: Awaited<ReturnType<typeof listProjectGrants>> = await listProjectGrants(side.db, projectId, null, {
      from,
      limit,
    });
    found.push(page.rows);
    from = page.next;
  } while (from !== null);
  const holders = found.map((rows) => [...new Set(rows.map(({ userId }) => userId))]);
  expect(holders.flat()).toEqual(counts.map((_, nth) => idOf(nth + 1)));
  expect(found.flat()).toHaveLength(10);
});

test('holders are counted exactly, and only the first ones are listed', async () => {
  const [one, two, three] = ['permission-0', 'permission-1', 'permission-2'] as const;
  const sought = [
    { having: [two], lacking: [] },
    { having: [one], lacking: [two, three] },
    { having: [one, three], lacking: [two] },
    { having: [three], lacking: [one] },
  ];
  const found = await findHolders(side.db, projectId, { scope: 'project', sought, limit: 2 });
  expect(found.map(({ count, holders }) => [count, holders.map(({ userId }) => userId)])).toEqual([
    [3, [idOf(2), idOf(3)]],
    [2, [idOf(1), idOf(5)]],
    [2, [idOf(1), idOf(5)]],
    [0, []],
  ]);
  expect(await countGrants(side.db, projectId, { scope: 'project', keys: [one, three] })).toBe(7);
});
