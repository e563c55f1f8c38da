import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { everybody } from '../testing/everybody.ts';
import { createExplainedDb } from '../testing/explained-db.ts';
import { type ReadSide, startReadSide } from '../testing/read-side.ts';
import { findUsers, type UserFilters, type UserSort, userSorts } from './find.ts';
import { listUsers, type SearchWindow } from './list.ts';
import { listUsersByActivity } from './list-by-activity.ts';
import type { UserListOptions } from './list-filters.ts';
import { smallTeam } from './list-shapes.ts';

const users = 20_000;
const middle = users / 2;
const earlier = users - smallTeam - 1_000;
const largeTeam = '11111111-1111-4111-8111-111111111111';
/** A user, the activity and what belongs to it, for each of a page of 50, take up to 1,000 blocks. */
const mostBlocks = 2_000;
const window = { byKey: 100, byActivity: 100, counted: 100 };

const filters: Readonly<Record<string, UserFilters>> = {
  everybody,
  'not anonymous': { ...everybody, isAnonymous: false },
  restricted: { ...everybody, isRestricted: true },
};

let side: ReadSide;
/**
 * Every other user was active, in another order than they signed up. The users after the earlier ones have the same
 * name and are the members of a large team.
 */
beforeAll(async () => {
  side = await startReadSide();
  const { pool } = side.database;
  const schema = side.readModels.schema('main');
  await pool.query(`insert into ${schema}.users (id, project_id, is_anonymous, signed_up_at, has_password, otp_auth_enabled,
      passkey_auth_enabled, requires_totp_mfa, has_oauth_accounts, restricted_by_admin, is_deleted_by_user, display_name,
      primary_channel_id, channels)
    select md5(n::text)::uuid, 'p1', false, timestamptz '2026-01-01' + n * interval '1 minute',
      true, false, false, false, false, n % 500 = 1, false,
      case when n <= ${earlier} then md5(n || 'name') else 'z common ' || n end, 'c',
      jsonb_build_object('c', jsonb_build_object('value', md5(n || 'email') || '@mail.example'))
    from generate_series(1, ${users}) n`);
  await pool.query(`insert into activity.users (user_id, project_id, last_active_at)
    select md5(n::text)::uuid, 'p1', timestamptz '2026-01-01' + n * 7919 % ${users} * interval '1 minute'
    from generate_series(2, ${users}, 2) n`);
  await pool.query(`insert into ${schema}.teams (id, project_id, display_name, created_at)
    values ('${largeTeam}', 'p1', 'Large', now())`);
  await pool.query(`insert into ${schema}.team_members (team_id, user_id, project_id, since)
    select '${largeTeam}', md5(n::text)::uuid, 'p1', n from generate_series(${earlier + 1}, ${users}) n`);
  await pool.query('analyze');
});
afterAll(() => side?.close());

describe.each(userSorts)('a page in the middle by %s', (sortedBy) => {
  describe.each([false, true])('descending: %s', (isDescending) => {
    test.each(Object.keys(filters))('reads no users before it: %s', async (name) => {
      const { rows } = await side.database.pool.query<{ id: string }>(`select md5('${middle}')::uuid as id`);
      const cursor = rows[0]?.id ?? null;
      const { db, plans } = createExplainedDb(side);
      const options = { filters: filters[name] ?? everybody, sortedBy, isDescending, cursor, limit: 50 };
      await findUsers(db, 'p1', { ...options, teamId: null, query: null }, window);
      expect(plans.length).toBeGreaterThan(0);
      for (const { text, buffers } of plans) expect(buffers, text).toBeLessThan(mostBlocks);
    });
  });
});

type Options = Pick<UserListOptions, 'teamId' | 'query'>;

/** The most blocks of a statement, for the first page. */
async function blocksOf(sortedBy: UserSort, options: Options & { isDescending: boolean }, window: SearchWindow) {
  const { db, plans } = createExplainedDb(side);
  const all = { ...options, cursor: null, limit: 50 };
  if (sortedBy === 'active') await listUsersByActivity(db, 'p1', all, window);
  else await listUsers(db, 'p1', { ...all, sort: sortedBy }, window);
  return Math.max(...plans.map(({ buffers }) => buffers));
}

describe.each(userSorts)('a first page by %s', (sortedBy) => {
  describe.each([false, true])('descending: %s', (isDescending) => {
    test.each<[string, Options]>([
      ['a large team', { teamId: largeTeam, query: null }],
      ['a text of many users', { teamId: null, query: 'common' }],
      ['a text of many users in a large team', { teamId: largeTeam, query: 'common' }],
    ])('reads few users: %s', async (_name, options) => {
      const blocks = await blocksOf(sortedBy, { ...options, isDescending }, { first: 100, most: 100, matches: 100 });
      expect(blocks).toBeLessThan(1_500);
    });

    test('does not read the index of the order for a text of one user', async () => {
      const one = { teamId: largeTeam, query: `common ${users}`, isDescending };
      const blocks = await blocksOf(sortedBy, one, { first: 1, most: 100, matches: 100 });
      expect(blocks).toBeLessThan(400);
    });
  });
});

test.each([false, true])(
  'a filtered page in the middle reads the index from there on, descending: %s',
  async (isDescending) => {
    const { rows } = await side.database.pool.query<{ id: string }>(`select md5('${middle}')::uuid as id`);
    const { db, plans } = createExplainedDb(side);
    const cursor = rows[0]?.id ?? null;
    const options = { sortedBy: 'signedUp' as const, teamId: null, query: null, cursor, limit: 50, isDescending };
    await findUsers(db, 'p1', { ...options, filters: { ...everybody, isRestricted: true } }, window);
    for (const { text, buffers } of plans) expect(buffers, text).toBeLessThan(40);
  },
);
