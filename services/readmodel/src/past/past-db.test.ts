import { createIndexes } from '@gatebook/projections/projection-tables';
import { createProjectionVersion, migrateProjections } from '@gatebook/projections/projection-versions';
import { forever } from '@gatebook/projections/versions/versioned-table';
import { createPool, escapeLiteral, type Pool } from '@gatebook/runtime/postgres';
import { testDatabase } from '@gatebook/runtime/testing/database';
import { expect, test } from 'vitest';
import { pastGroup } from '../projection-groups.ts';
import { defineQuery, hotSettings, type ReadDb } from '../read-db.ts';
import { rowsOfPlan } from '../testing/rows-of-plan.ts';
import { listUsers } from '../users/list.ts';
import { createPastDb, textAt } from './past-db.ts';

const idOf = (n: string) => `('00000000-0000-4000-8000-' || lpad((${n})::text, 12, '0'))::uuid`;
/** Each session of 400 users has two versions, and the sessions of a user are far apart. */
const addSessions = (schema: string) => `insert into ${schema}.sessions (id, user_id, project_id, user_revision,
    is_impersonation, method, created_at, expires_at, from_position, until_position)
  select ${idOf('n')}, ${idOf('n % 400')}, 'shop', 0, false, 'password', '2026-01-01'::timestamptz + n * interval '1 s',
    '2027-01-01', n * 2 + version, case version when 0 then n * 2 + 1 else ${forever} end
  from generate_series(1, 4000) n cross join generate_series(0, 1) version`;

test('the users who were active last are found without reading all sessions', async () => {
  const { pool, close } = await testDatabase();
  try {
    await migrateProjections(pool);
    const { schema, ...version } = await createProjectionVersion(pool, pastGroup);
    await pool.query(addSessions(schema));
    await createIndexes(pool, { ...version, schema });
    await pool.query(`analyze ${schema}.sessions`);
    const query = defineQuery({
      name: 'test-last-active',
      sql: () => `select a.user_id::text as id, extract(epoch from a.last_active_at - '2026-01-01')::int as seconds
        from activity.users a order by a.last_active_at desc, a.user_id limit 3`,
    });
    const text = textAt(query, schema, { position: '$2::bigint', clock: 'now()' });
    const { rows } = await pool.query(text, ['shop', 6_001n]);
    expect(rows.map(({ id, seconds }) => [Number(id.slice(-12)), seconds])).toEqual([
      [200, 3_000],
      [199, 2_999],
      [198, 2_998],
    ]);
    const all = await pool.query(`select from (${text.replace('limit 3', '')}) a`, ['shop', 6_001n]);
    expect(all.rowCount).toBe(400);
    const plan = await pool.query(`explain (analyze, timing off, format json) ${text}`, ['shop', 6_001n]);
    expect(rowsOfPlan(plan.rows)).toBeLessThan(200);
  } finally {
    await close();
  }
});

/** Each of 15,000 users has three versions. */
const addUsers = (
  schema: string,
) => `insert into ${schema}.users (id, project_id, display_name, is_anonymous, has_password,
    otp_auth_enabled, passkey_auth_enabled, requires_totp_mfa, has_oauth_accounts, restricted_by_admin,
    restricted_by_admin_reason, is_deleted_by_user, signed_up_at, channels, from_position, until_position)
  select ${idOf('n')}, 'shop', 'User ' || n, false, true, false, false, false, false, false, repeat('x', 300), false,
    '2026-01-01'::timestamptz + n * interval '1 s', '{}', n * 3 + version, case when version < 2 then n * 3 + version + 1 else ${forever} end
  from generate_series(1, 15000) n cross join generate_series(0, 2) version`;

/** How many rows a prepared statement returns in all nodes of its plan. */
async function rowsOfStatement(pool: Pool, text: string, values: readonly unknown[]): Promise<number> {
  await pool.query(`prepare measured as ${text}`);
  const literal = (value: unknown) => (value === null ? 'null' : escapeLiteral(String(value)));
  const given = values.map((value) => (Array.isArray(value) ? `array[${value.map(literal)}]::text[]` : literal(value)));
  const { rows } = await pool.query(`explain (analyze, timing off, format json) execute measured(${given})`);
  await pool.query('deallocate measured');
  return rowsOfPlan(rows);
}

/** A database with all users, and how many rows each query on a moment reads. */
async function withUsers(use: (db: ReadDb, counts: number[]) => Promise<void>): Promise<void> {
  const { pool, url, close } = await testDatabase();
  const own = createPool(url, { max: 1, name: 'measured', settings: hotSettings });
  try {
    await migrateProjections(pool);
    const { schema, ...version } = await createProjectionVersion(pool, pastGroup);
    await pool.query(addUsers(schema));
    await createIndexes(pool, { ...version, schema });
    await pool.query(`analyze ${schema}.users`);
    const counts: number[] = [];
    const query = async ({ text, values }: { text: string; values: unknown[] }) => {
      counts.push(await rowsOfStatement(own, text, values));
      return own.query(text, values);
    };
    const db = createPastDb({ query } as unknown as Pool, { schema: () => schema })({
      position: 60_000n,
      clock: '2027-01-01T00:00:00.000Z',
    });
    await use(db, counts);
    expect(counts.length).toBeGreaterThan(0);
  } finally {
    await own.end();
    await close();
  }
}

const allUsers = { teamId: null, limit: 20, isDescending: false, query: null, cursor: null };

test('a search for a rare text does not read all users', () =>
  withUsers(async (db, counts) => {
    const { items } = await listUsers(db, 'shop', { ...allUsers, query: 'user 12345' });
    expect(items.map(({ displayName }) => displayName)).toEqual(['User 12345']);
    for (const count of counts) expect(count).toBeLessThan(2_000);
  }));

test('a list by name does not read all users', () =>
  withUsers(async (db, counts) => {
    const { items } = await listUsers(db, 'shop', { ...allUsers, sort: 'name', limit: 3 });
    expect(items.map(({ displayName }) => displayName)).toEqual(['User 1', 'User 10', 'User 100']);
    for (const count of counts) expect(count).toBeLessThan(200);
  }));

test('the large columns of users are only looked up by queries that read them', async () => {
  const { pool, close } = await testDatabase();
  try {
    await migrateProjections(pool);
    const { schema } = await createProjectionVersion(pool, pastGroup);
    const planOf = async (name: string, columns: string) => {
      const query = defineQuery({ name, sql: (of) => `select ${columns} from ${of}.users u where u.id = $2` });
      const text = textAt(query, schema, { position: '1', clock: 'now()' });
      const { rows } = await pool.query(`explain ${text}`, ['shop', '00000000-0000-4000-8000-000000000000']);
      return JSON.stringify(rows);
    };
    expect(await planOf('test-names', 'u.display_name')).not.toContain('user_values');
    expect(await planOf('test-images', 'u.profile_image_url')).toContain('user_values');
  } finally {
    await close();
  }
});
