import type { UserEvent } from '@gatebook/domain/user/events';
import { unknownSignIn } from '@gatebook/domain/user/events';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { SortKey } from '../list-pages.ts';
import { type ReadSide, startReadSide } from '../testing/read-side.ts';
import { countGrants, countHolders, findHolders } from './holders.ts';
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

test('the holders of several permissions are counted at once', async () => {
  const [one, two, three] = ['permission-0', 'permission-1', 'permission-2'] as const;
  const sought = [[three], [one, two, three], [two, three], ['unknown'], []];
  expect(await countHolders(side.db, projectId, { scope: 'project', sought })).toEqual([2, 5, 3, 0, 0]);
  expect(await countHolders(side.db, projectId, { scope: 'team', sought })).toEqual([0, 0, 0, 0, 0]);
});

test('more than 1,000 holders are not counted', async () => {
  const schema = side.readModels.schema('main');
  const ids = `('00000000-0000-4000-9000-' || lpad(n::text, 12, '0'))::uuid`;
  const add = (from: number, to: number) =>
    side.database.pool.query(`with added as (
        insert into ${schema}.users (id, project_id, is_anonymous, signed_up_at, channels, has_password, otp_auth_enabled,
          passkey_auth_enabled, requires_totp_mfa, has_oauth_accounts, restricted_by_admin, is_deleted_by_user)
        select ${ids}, 'internal', false, now(), '{}', false, false, false, false, false, false, false
        from generate_series(${from}, ${to}) n returning id)
      insert into ${schema}.project_permissions (user_id, permission, project_id) select id, 'common', 'internal' from added`);
  const count = async () =>
    countHolders(side.db, projectId, { scope: 'project', sought: [['common', 'permission-0']] });
  await add(1, 995);
  expect(await count()).toEqual([1_000]);
  await add(996, 1_500);
  expect(await count()).toEqual([1_001]);
});
