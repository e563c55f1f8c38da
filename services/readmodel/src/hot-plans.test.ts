import { createPool, type Pool } from '@gatebook/runtime/postgres';
import { expect, test } from 'vitest';
import { definedQueries, hotSettings, type ProjectQuery, restrictToProject } from './read-db.ts';
import { startReadSide } from './testing/read-side.ts';
import './activity/rejection-list.ts';
import './api-keys/queries.ts';
import './audit/queries.ts';
import './permissions/holders.ts';
import './sessions/queries.ts';
import './teams/search.ts';
import './users/find.ts';
import './users/list.ts';
import './users/queries.ts';

const hot = definedQueries().filter(({ isHot, scope }) => isHot && scope === 'project') as readonly ProjectQuery[];

async function planOf(query: ProjectQuery, pool: Pool, schema: string): Promise<string> {
  await pool.query(`prepare planned as ${restrictToProject(query, schema)}`);
  const { rows: types } = await pool.query<{ count: number }>(
    `select array_length(parameter_types, 1) as count from pg_prepared_statements where name = 'planned'`,
  );
  const nulls = Array.from({ length: types[0]?.count ?? 0 }, () => 'null').join(', ');
  const { rows } = await pool.query<{ 'QUERY PLAN': string }>(`explain execute planned(${nulls})`);
  await pool.query('deallocate planned');
  return rows.map((row) => row['QUERY PLAN']).join('\n');
}

test('hot queries look rows up by index, also if they were planned while the tables were small (#20 check 5)', async () => {
  const { database, readModels, close } = await startReadSide();
  const pool = createPool(database.url, { max: 1, name: 'plans', settings: hotSettings });
  try {
    await pool.query(`insert into activity.users (user_id, project_id, last_active_at)
      select gen_random_uuid(), 'p1', now() from generate_series(1, 10)`);
    await pool.query('analyze activity.users');
    const plans = new Map<string, string>();
    for (const query of hot) plans.set(query.name, await planOf(query, pool, readModels.schema(query.group ?? 'main')));
    expect(hot.length).toBeGreaterThan(50);
    expect([...plans].filter(([, plan]) => plan.includes('Seq Scan on')).map(([name]) => name)).toEqual([]);
    const ofSeveralValues = [...plans].filter(([name]) => /^list-audit-events-.*-of-(?!1-)/.test(name));
    expect(ofSeveralValues.length).toBeGreaterThan(5);
    // Otherwise a page would read as many rows of each value as of all together.
    expect(ofSeveralValues.filter(([, plan]) => !plan.includes('Merge Append')).map(([name]) => name)).toEqual([]);
  } finally {
    await pool.end();
    await close();
  }
});

test('searches of users by filters read in the order of an index, and do not sort all users', async () => {
  const { database, readModels, close } = await startReadSide();
  const pool = createPool(database.url, { max: 1, name: 'plans', settings: hotSettings });
  const schema = readModels.schema('main');
  try {
    await pool.query(`drop index ${schema}.users_by_text`);
    await pool.query(`insert into ${schema}.users (id, project_id, is_anonymous, signed_up_at, has_password, otp_auth_enabled,
        passkey_auth_enabled, requires_totp_mfa, has_oauth_accounts, restricted_by_admin, is_deleted_by_user, channels)
      select gen_random_uuid(), 'p' || n % 2, n % 10 = 0, timestamptz '2026-01-01' + n * 7919 % 20000 * interval '20 minutes',
        true, false, false, false, false, false, false, '{}' from generate_series(1, 20000) n`);
    await pool.query(`insert into activity.users (user_id, project_id, last_active_at)
      select id, project_id, signed_up_at from ${schema}.users limit 100`);
    await pool.query(`analyze activity.users, ${schema}.users`);
    const searches = hot.filter(({ name }) => /^(find-active|find|count)-users-/.test(name));
    expect(searches.length).toBeGreaterThan(90);
    const plans = new Map<string, string>();
    for (const query of searches) plans.set(query.name, await planOf(query, pool, schema));
    const readsAll = /Bitmap Index Scan on users_(?:by_sign_up|by_kind|verified)/;
    expect([...plans].filter(([, plan]) => readsAll.test(plan)).map(([name]) => name)).toEqual([]);
    const sorts = /^(?:list|search|find)-users-(?:near-)?by-(name|email)-/;
    const sorted = hot.filter(({ name }) => sorts.test(name));
    expect(sorted.length).toBeGreaterThan(50);
    const inOrder: string[] = [];
    for (const query of sorted) {
      const [, column] = sorts.exec(query.name) ?? [];
      const plan = await planOf(query, pool, schema);
      if (plan.includes(`using users_by_${column} `)) inOrder.push(query.name);
    }
    expect(inOrder).toEqual(sorted.map(({ name }) => name));
  } finally {
    await pool.end();
    await close();
  }
});
