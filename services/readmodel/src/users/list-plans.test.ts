import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { everybody } from '../testing/everybody.ts';
import { createExplainedDb } from '../testing/explained-db.ts';
import { type ReadSide, startReadSide } from '../testing/read-side.ts';
import { findUsers, type UserFilters, userSorts } from './find.ts';

const users = 20_000;
const middle = users / 2;
/** A user, the activity and what belongs to it, for each of a page of 50, take up to 1,000 blocks. */
const mostBlocks = 2_000;
const window = { byKey: 100, byActivity: 100, counted: 100 };

const filters: Readonly<Record<string, UserFilters>> = {
  everybody,
  'not anonymous': { ...everybody, isAnonymous: false },
  restricted: { ...everybody, isRestricted: true },
};

let side: ReadSide;
/** Every other user was active, in another order than they signed up. */
beforeAll(async () => {
  side = await startReadSide();
  const { pool } = side.database;
  const schema = side.readModels.schema('main');
  await pool.query(`insert into ${schema}.users (id, project_id, is_anonymous, signed_up_at, has_password, otp_auth_enabled,
      passkey_auth_enabled, requires_totp_mfa, has_oauth_accounts, restricted_by_admin, is_deleted_by_user, display_name,
      primary_channel_id, channels)
    select md5(n::text)::uuid, 'p1', false, timestamptz '2026-01-01' + n * interval '1 minute',
      true, false, false, false, false, n % 500 = 1, false, md5(n || 'name'), 'c',
      jsonb_build_object('c', jsonb_build_object('value', md5(n || 'email') || '@mail.example'))
    from generate_series(1, ${users}) n`);
  await pool.query(`insert into activity.users (user_id, project_id, last_active_at)
    select md5(n::text)::uuid, 'p1', timestamptz '2026-01-01' + n * 7919 % ${users} * interval '1 minute'
    from generate_series(2, ${users}, 2) n`);
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
