import { createPool } from '@gatebook/runtime/postgres';
import { expect, test } from 'vitest';
import { definedQueries, hotSettings, type ProjectQuery, restrictToProject } from './read-db.ts';
import { startReadSide } from './testing/read-side.ts';
import './activity/rejection-list.ts';
import './api-keys/queries.ts';
import './audit/queries.ts';
import './sessions/queries.ts';
import './users/find.ts';
import './users/list.ts';
import './users/queries.ts';

const hot = definedQueries().filter(({ isHot, scope }) => isHot && scope === 'project') as readonly ProjectQuery[];

test('hot queries look rows up by index, also if they were planned while the tables were small (#20 check 5)', async () => {
  const { database, readModels, close } = await startReadSide();
  const pool = createPool(database.url, { max: 1, name: 'plans', settings: hotSettings });
  async function planOf(query: ProjectQuery): Promise<string> {
    await pool.query(`prepare planned as ${restrictToProject(query, readModels.schema(query.group ?? 'main'))}`);
    const { rows: types } = await pool.query<{ count: number }>(
      `select array_length(parameter_types, 1) as count from pg_prepared_statements where name = 'planned'`,
    );
    const nulls = Array.from({ length: types[0]?.count ?? 0 }, () => 'null').join(', ');
    const { rows } = await pool.query<{ 'QUERY PLAN': string }>(`explain execute planned(${nulls})`);
    await pool.query('deallocate planned');
    return rows.map((row) => row['QUERY PLAN']).join('\n');
  }
  try {
    await pool.query(`insert into activity.users (user_id, project_id, last_active_at)
      select gen_random_uuid(), 'p1', now() from generate_series(1, 10)`);
    await pool.query('analyze activity.users');
    const plans = new Map<string, string>();
    for (const query of hot) plans.set(query.name, await planOf(query));
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
