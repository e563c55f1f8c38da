import { createPool } from '@gatebook/runtime/postgres';
import { expect, test } from 'vitest';
import { definedQueries, hotSettings, type ProjectQuery, restrictToProject } from './read-db.ts';
import { startReadSide } from './testing/read-side.ts';
import './api-keys/queries.ts';
import './sessions/queries.ts';
import './users/list.ts';
import './users/queries.ts';

const hot = definedQueries().filter(({ isHot, scope }) => isHot && scope === 'project') as readonly ProjectQuery[];

test('hot queries look rows up by index, also if they were planned while the tables were small', async () => {
  const { database, readModels, close } = await startReadSide();
  const pool = createPool(database.url, { max: 1, name: 'plans', settings: hotSettings });
  try {
    const schema = readModels.schema('main');
    await pool.query(`insert into activity.users (user_id, project_id, last_active_at)
      select gen_random_uuid(), 'p1', now() from generate_series(1, 10)`);
    await pool.query('analyze activity.users');
    const scans: string[] = [];
    for (const query of hot) {
      await pool.query(`prepare planned as ${restrictToProject(query, schema)}`);
      const { rows: types } = await pool.query<{ count: number }>(
        `select array_length(parameter_types, 1) as count from pg_prepared_statements where name = 'planned'`,
      );
      const nulls = Array.from({ length: types[0]?.count ?? 0 }, () => 'null').join(', ');
      const { rows } = await pool.query<Record<string, string>>(`explain execute planned(${nulls})`);
      if (rows.some((row) => row['QUERY PLAN']?.includes('Seq Scan on'))) scans.push(query.name);
      await pool.query('deallocate planned');
    }
    expect(hot.length).toBeGreaterThan(50);
    expect(scans).toEqual([]);
  } finally {
    await pool.end();
    await close();
  }
});
