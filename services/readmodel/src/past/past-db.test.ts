import { createIndexes } from '@gatebook/projections/projection-tables';
import { createProjectionVersion, migrateProjections } from '@gatebook/projections/projection-versions';
import { forever } from '@gatebook/projections/versions/versioned-table';
import { testDatabase } from '@gatebook/runtime/testing/database';
import { expect, test } from 'vitest';
import { pastGroup } from '../projection-groups.ts';
import { defineQuery } from '../read-db.ts';
import { rowsOfPlan } from '../testing/rows-of-plan.ts';
import { textAt } from './past-db.ts';

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
