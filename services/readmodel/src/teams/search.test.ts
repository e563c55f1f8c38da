import { createPool } from '@gatebook/runtime/postgres';
import { expect, test } from 'vitest';
import { definedQueries, type ProjectQuery, restrictToProject } from '../read-db.ts';
import { startReadSide } from '../testing/read-side.ts';
import { rowsOfPlan } from '../testing/rows-of-plan.ts';
import './search.ts';

const searches = definedQueries().filter(
  (query): query is ProjectQuery => query.scope === 'project' && /^search-teams-by-/.test(query.name),
);

test('a page of teams reads and counts no others', async () => {
  const { database, readModels, close } = await startReadSide();
  const pool = createPool(database.url, { max: 1, name: 'plans' });
  const schema = readModels.schema('main');
  try {
    await pool.query(`insert into ${schema}.teams (id, project_id, display_name, created_at)
      select gen_random_uuid(), 'p' || n % 2, 'Team ' || n * 7919 % 5000, timestamptz '2026-01-01' + n * interval '1 minute'
      from generate_series(1, 5000) n`);
    await pool.query(`insert into ${schema}.team_members (team_id, user_id, project_id, since)
      select id, gen_random_uuid(), project_id, n from ${schema}.teams, generate_series(1, 4) n`);
    await pool.query(`analyze ${schema}.teams, ${schema}.team_members, ${schema}.team_sizes`);
    const rows = new Map<string, number>();
    for (const query of searches) {
      const start = query.name.includes('display_name')
        ? query.name.endsWith('descending')
          ? `'f48fbfbf'`
          : `''`
        : query.name.endsWith('descending')
          ? `'${'9'.repeat(17)}'`
          : `'0'`;
      const id = query.name.endsWith('descending') ? 'f'.repeat(8) : '0'.repeat(8);
      const bounds = `${start}, '${id}-0000-0000-0000-000000000000'`;
      await pool.query(`prepare planned as ${restrictToProject(query, schema)}`);
      const plan = await pool.query(`explain (analyze, format json) execute planned('p1', null, null, 26, ${bounds})`);
      await pool.query('deallocate planned');
      rows.set(query.name, rowsOfPlan(plan.rows as Parameters<typeof rowsOfPlan>[0]));
    }
    expect(rows.size).toBe(6);
    for (const [name, count] of rows) expect(count, name).toBeLessThan(500);
  } finally {
    await pool.end();
    await close();
  }
});
