import { deleteProject } from '@gatebook/commands/project/delete-project';
import { createProject, updateProject } from '@gatebook/commands/project/project';
import { contextOf, createWorld } from '@gatebook/commands/testing/world';
import { migrateEventLog } from '@gatebook/eventlog/postgres/migrate';
import { silentLogger as logger } from '@gatebook/projections/testing/test-log';
import { createActivity } from '@gatebook/readmodel/activity/activity';
import { findLastExpiry } from '@gatebook/readmodel/activity/rejection-rows';
import { mainGroup } from '@gatebook/readmodel/projection-groups';
import { type ReadSide, startReadSide } from '@gatebook/readmodel/testing/read-side';
import type { Pool } from '@gatebook/runtime/postgres';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { expireRejections } from './expire-rejections.ts';

const idOf = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;
const now = '2026-06-01T12:00:00.000Z';
const daysAgo = (days: number) => new Date(Date.parse(now) - days * 24 * 60 * 60_000).toISOString();

let side: ReadSide;
beforeAll(async () => {
  side = await startReadSide([mainGroup]);
  await migrateEventLog(side.database.pool);
});
afterAll(() => side.close());

/** `rows` windows of five minutes that ended `days` ago. */
async function addRows(projectId: string, days: number, rows: number, userId: string | null = null): Promise<void> {
  await side.database.pool.query(
    `insert into activity.rejections (project_id, window_at, code, route, user_id, count, first_at, last_at,
       first_request_id, last_request_id)
     select $1, at, 'EMAIL_PASSWORD_MISMATCH', 'POST /sign-in', $4, 1, at, at, 'first', 'last'
     from (select $2::timestamptz - n * interval '5 minutes' as at from generate_series(1, $3) n) windows`,
    [projectId, daysAgo(days), rows, userId],
  );
}

/** As many failed requests, whose errors are not counted. */
async function addRequests(projectId: string, days: number, rows: number): Promise<void> {
  await side.database.pool.query(
    `insert into activity.rejected_requests (request_id, project_id, window_at, at, code, status, route)
     select gen_random_uuid(), $1, at, at, 'SCHEMA_ERROR', 400, 'POST /sign-in'
     from (select $2::timestamptz - n * interval '5 minutes' as at from generate_series(1, $3) n) windows`,
    [projectId, daysAgo(days), rows],
  );
}

const countRequestsOf = async (projectId: string) =>
  (await side.database.pool.query('select from activity.rejected_requests where project_id = $1', [projectId]))
    .rowCount;

const countOf = async (projectId: string) =>
  (await side.database.pool.query('select from activity.rejections where project_id = $1', [projectId])).rowCount;

/** Notes how many rows each statement deleted. */
function watchDeletes() {
  const deleted: number[] = [];
  const query = async (text: string, values?: unknown[]) => {
    const result = await side.database.pool.query(text, values);
    if (text.startsWith('delete')) deleted.push(result.rowCount ?? 0);
    return result;
  };
  return { deleted, pool: Object.assign(Object.create(side.database.pool) as Pool, { query }) };
}

test('a new installation without read models has nothing to delete', async () => {
  const activity = createActivity({ pool: side.database.pool, logger });
  const db = { ...side.db, rowsOfAllProjects: () => Promise.reject(new Error('no read models')) };
  await expireRejections({ pool: side.database.pool, db, activity }, now, new AbortController().signal);
  await activity.close();
});

test('check 14: rejections are deleted after the days of their project, at most 500 rows at a time', async () => {
  const { deps } = await createWorld(side);
  const createShop = async (days: number | null) => {
    const ownerUserId = deps.newId();
    const { projectId } = await createProject(deps, contextOf('internal'), { displayName: 'Shop', ownerUserId });
    const settings = { rejectionRetentionDays: days ?? 90 };
    if (days !== null) await updateProject(deps, contextOf(projectId), { settings });
    return projectId;
  };
  const [shortest, standard, longest] = [await createShop(1), await createShop(null), await createShop(365)];
  // It can be restored.
  await deleteProject(deps, contextOf(longest), { graceDays: 30 });
  expect(await side.readModels.reached(await side.store.head())).toBe('reached');
  for (const projectId of [shortest, standard, longest]) {
    for (const days of [0, 1, 89, 90, 364, 365]) await addRows(projectId, days, 200);
    await addRows(projectId, 400, 1_100);
  }
  const onlyErrors = await createShop(1);
  expect(await side.readModels.reached(await side.store.head())).toBe('reached');
  await addRequests(onlyErrors, 2, 1_100);
  await addRequests(onlyErrors, 0, 100);
  const pool = side.database.pool;
  await pool.query(
    `insert into activity.throttled_accounts select gen_random_uuid(), 'shop', $1 from generate_series(1, 700)`,
    [daysAgo(2)],
  );
  await pool.query(`insert into activity.throttled_accounts values ($1, 'shop', $2)`, [idOf(1), now]);
  const activity = createActivity({ pool, logger });
  const watched = watchDeletes();
  await expireRejections({ pool: watched.pool, db: side.db, activity }, now, new AbortController().signal);
  expect([await countOf(shortest), await countOf(standard), await countOf(longest)]).toEqual([200, 600, 1_000]);
  expect(await countRequestsOf(onlyErrors)).toBe(100);
  expect(await findLastExpiry(pool)).toBe(Date.parse(now));
  expect((await pool.query('select from activity.throttled_accounts')).rowCount).toBe(1);
  expect(Math.max(...watched.deleted)).toBe(500);
  expect(watched.deleted.reduce((sum, rows) => sum + rows, 0)).toBe(2_100 + 1_700 + 1_300 + 700 + 1_100);
  await activity.close();
});

test('rejections of a user or project that were written after the erasure lose the user, or are deleted', async () => {
  const { pool } = side.database;
  await addRows('gone', 0, 700);
  await pool.query(`insert into keys.erased_projects (project_id) values ('gone')`);
  const [erased, other] = [idOf(2), idOf(3)];
  await addRows('forum', 0, 3, erased);
  await addRows('forum', 0, 2, other);
  await pool.query(
    `insert into keys.subjects (subject_id, wrapped, erased_at) values ($1, null, now()), ($2, 'wrapped', null)`,
    [erased, other],
  );
  const activity = createActivity({ pool, logger });
  await expireRejections({ pool, db: side.db, activity }, now, new AbortController().signal);
  const { rows } = await pool.query(
    `select user_id, sum(count)::int as count from activity.rejections where project_id = 'forum' group by 1 order by 1`,
  );
  expect(rows).toEqual([
    { user_id: other, count: 2 },
    { user_id: null, count: 3 },
  ]);
  expect(await countOf('gone')).toBe(0);
  await activity.close();
});
