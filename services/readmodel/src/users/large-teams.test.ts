import { afterAll, beforeAll, expect, test } from 'vitest';
import { everybody } from '../testing/everybody.ts';
import { type ReadSide, startReadSide } from '../testing/read-side.ts';
import { countUsers, findUsers, type UserFilters, userSorts } from './find.ts';
import { smallTeam } from './list-shapes.ts';

const restricted: UserFilters = { ...everybody, isRestricted: true };
const largeTeam = '11111111-1111-4111-8111-111111111111';
const users = 30_000;

let side: ReadSide;
/** Every fourth user is a member of the large team. One in 500 users is restricted. */
beforeAll(async () => {
  side = await startReadSide();
  const { pool } = side.database;
  const schema = side.readModels.schema('main');
  await pool.query(`insert into ${schema}.users (id, project_id, is_anonymous, signed_up_at, has_password, otp_auth_enabled,
      passkey_auth_enabled, requires_totp_mfa, has_oauth_accounts, restricted_by_admin, is_deleted_by_user, channels)
    select md5(n::text)::uuid, 'p1', false, timestamptz '2026-01-01' + n * interval '1 minute',
      true, false, false, false, false, n % 500 = 1, false, '{}' from generate_series(1, ${users}) n`);
  await pool.query(`insert into activity.users (user_id, project_id, last_active_at)
    select md5(n::text)::uuid, 'p1', timestamptz '2026-03-01' + n * 7919 % ${users} * interval '1 minute'
    from generate_series(1, ${users}, 2) n`);
  await pool.query(`insert into ${schema}.teams (id, project_id, display_name, created_at)
    values ('${largeTeam}', 'p1', 'Large', now())`);
  await pool.query(`insert into ${schema}.team_members (team_id, user_id, project_id, since)
    select '${largeTeam}', md5(n::text)::uuid, 'p1', n from generate_series(1, ${users}, 4) n`);
  await pool.query('analyze');
});
afterAll(() => side?.close());

const find = (sortedBy: (typeof userSorts)[number], filters: UserFilters, cursor: string | null, window: number) =>
  findUsers(
    side.db,
    'p1',
    { filters, sortedBy, teamId: largeTeam, query: null, cursor, limit: 50, isDescending: true },
    { byKey: window, byActivity: window, counted: window },
  );

test.each(userSorts)('pages of a large team by %s contain each match once', async (sortedBy) => {
  expect(users / 4).toBeGreaterThan(smallTeam);
  const seen = new Set<string>();
  let read = 0;
  let cursor: string | null = null;
  do {
    const page = await find(sortedBy, restricted, cursor, 4_000);
    for (const { id } of page.items) seen.add(id);
    read += page.items.length;
    cursor = page.nextCursor;
  } while (cursor !== null);
  // The restricted users 1, 501, 1001, … are members.
  expect([seen.size, read]).toEqual([users / 500, users / 500]);
  const others = await find(sortedBy, { ...everybody, isRestricted: false }, null, 4_000);
  expect(others.items).toHaveLength(50);
});

test.each(userSorts)('a search of a large team by %s looks through the next users of the project', async (sortedBy) => {
  const { nextCursor } = await find(sortedBy, restricted, null, 100);
  const sort = { filters: everybody, sortedBy, teamId: null, query: null, isDescending: true };
  const inOrder = await findUsers(side.db, 'p1', { ...sort, cursor: null, limit: 101 });
  expect(nextCursor?.split('.').at(-1)).toBe(inOrder.items[100]?.id);
});

test('a count of a large team has as many users as it reads, and says that it is not complete', async () => {
  const options = { teamId: largeTeam, query: null, filters: everybody };
  expect(await countUsers(side.db, 'p1', options, 1_000)).toEqual({ count: 1_001, isComplete: false });
  expect(await countUsers(side.db, 'p1', options)).toEqual({ count: users / 4, isComplete: true });
});
