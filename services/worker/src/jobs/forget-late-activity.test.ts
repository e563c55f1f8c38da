import { migrateEventLog } from '@gatebook/eventlog/postgres/migrate';
import { silentLogger as logger } from '@gatebook/projections/testing/test-log';
import { createActivity, migrateActivity } from '@gatebook/readmodel/activity/activity';
import { type TestDatabase, testDatabase } from '@gatebook/runtime/testing/database';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { forgetLateActivity } from './forget-late-activity.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
  await migrateEventLog(database.pool);
  await migrateActivity(database.pool);
});
afterAll(() => database.close());

const idOf = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;
const now = '2026-06-01T12:00:00.000Z';

async function countRows(table: string, column: string, value: string): Promise<number | null> {
  return (await database.pool.query(`select from activity.${table} where ${column} = $1`, [value])).rowCount;
}

test('activity that an API process writes after an erasure is forgotten', async () => {
  const { pool } = database;
  const [api, worker] = [createActivity({ pool, logger }), createActivity({ pool, logger })];
  const [erased, alive, ofErasedProject] = [idOf(1), idOf(2), idOf(3)];
  const people = [
    ['shop', erased],
    ['shop', alive],
    ['closed', ofErasedProject],
  ] as const;
  const device = { ip: '203.0.113.7', country: 'DE', device: null, language: null };
  for (const [projectId, userId] of people) api.record({ projectId, userId, sessionId: userId, at: now, ...device });
  await pool.query('insert into keys.subjects (subject_id, wrapped, erased_at) values ($1, null, now())', [erased]);
  await pool.query(`insert into keys.erased_projects (project_id) values ('closed')`);
  await worker.forgetUser(erased);
  await worker.forgetProject('closed');
  await api.flush();
  expect(await countRows('sessions', 'user_id', erased)).toBe(1);
  await forgetLateActivity({ pool, activity: worker }, now, new AbortController().signal);
  for (const table of ['sessions', 'users']) {
    expect(await countRows(table, 'user_id', erased)).toBe(0);
    expect(await countRows(table, 'user_id', alive)).toBe(1);
  }
  for (const table of ['sessions', 'users', 'days']) expect(await countRows(table, 'project_id', 'closed')).toBe(0);
  await Promise.all([api.close(), worker.close()]);
});
