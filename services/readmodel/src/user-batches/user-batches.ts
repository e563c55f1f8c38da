import type { UserBatchAction, UserBatchOutcome } from '@gatebook/domain/user-batch/events';
import type { Pool } from '@gatebook/runtime/postgres';

export type NewUserBatch = {
  id: string;
  projectId: string;
  action: UserBatchAction;
  teamId: string | null;
  permissionId: string | null;
  undoesBatchId: string | null;
  actorKind: string;
  actorId: string | null;
};
/** `done`: how many of the users, in their order, with those that failed. Times in milliseconds since 1970. */
export type UserBatchRow = NewUserBatch & {
  total: number;
  done: number;
  failed: number;
  createdAt: number;
  endedAt: number | null;
  /** null while it runs. */
  outcome: UserBatchOutcome | null;
};
export type UserBatchFailure = {
  nth: number;
  userId: string;
  /** Code of the error. */
  error: string;
  details: Readonly<Record<string, unknown>>;
};

/** Tells the leading worker of a new batch. */
export const userBatchesChannel = 'gatebook_user_batches';

/** The batches of projects, for the API. */
export type UserBatches = {
  /** @returns false if another batch of the project has not ended */
  add(batch: NewUserBatch, userIds: readonly string[]): Promise<boolean>;
  /** Tells the worker that there is a new one. */
  announce(): Promise<void>;
  list(projectId: string): Promise<UserBatchRow[]>;
  find(projectId: string, id: string): Promise<UserBatchRow | null>;
  listFailures(batch: BatchOfProject, page: FailurePage): Promise<UserBatchFailure[]>;
  listChanged(batch: BatchProgress): Promise<string[]>;
  end(batch: BatchOfProject, outcome: UserBatchOutcome): Promise<void>;
};
type BatchOfProject = Pick<UserBatchRow, 'id' | 'projectId'>;
type BatchProgress = Pick<UserBatchRow, 'id' | 'projectId' | 'done'>;
/** `after`: the place of the last failure of the page before; -1 for the first page. */
type FailurePage = { after: number; limit: number };

export const createUserBatches = (pool: Pool): UserBatches => ({
  add: (batch, userIds) => addUserBatch(pool, batch, userIds),
  announce: async () => {
    await pool.query(`select pg_notify('${userBatchesChannel}', '')`);
  },
  list: (projectId) => listUserBatches(pool, projectId),
  find: (projectId, id) => findUserBatch(pool, projectId, id),
  listFailures: (batch, page) => listUserBatchFailures(pool, batch, page),
  listChanged: (batch) => listChangedUsers(pool, batch),
  end: (batch, outcome) => endUserBatchRow(pool, batch, outcome),
});

const millis = (column: string) => `round(date_part('epoch', ${column}) * 1000)`;
const columns = `id, project_id as "projectId", action, team_id as "teamId", permission_id as "permissionId",
  undoes_batch_id as "undoesBatchId", actor_kind as "actorKind", actor_id as "actorId", total, done, failed, ${millis('created_at')} as "createdAt",
  ${millis('ended_at')} as "endedAt", outcome`;

/**
 * Stores a batch with its users, before it is started. Users keep their order.
 * @returns false if another batch of the project has not ended
 */
async function addUserBatch(pool: Pool, batch: NewUserBatch, userIds: readonly string[]): Promise<boolean> {
  const { id, projectId, action, teamId, permissionId, undoesBatchId, actorKind, actorId } = batch;
  const { rows } = await pool.query(
    `with added as (
       insert into activity.user_batches
         (id, project_id, action, team_id, permission_id, undoes_batch_id, actor_kind, actor_id, total)
       values ($1, $2, $3, $4, $5, $6, $7, $8, cardinality($9::uuid[]))
       on conflict (project_id) where ended_at is null do nothing returning id, project_id),
     users as (
       insert into activity.user_batch_users (batch_id, nth, project_id, user_id)
       select added.id, u.nth - 1, added.project_id, u.id from added, unnest($9::uuid[]) with ordinality u (id, nth))
     select id from added`,
    [id, projectId, action, teamId, permissionId, undoesBatchId, actorKind, actorId, userIds],
  );
  return rows.length > 0;
}

async function findUserBatch(pool: Pool, projectId: string, id: string): Promise<UserBatchRow | null> {
  const { rows } = await pool.query<UserBatchRow>(
    `select ${columns} from activity.user_batches where project_id = $1 and id = $2`,
    [projectId, id],
  );
  return rows[0] ?? null;
}

const listed = 50;

/** The newest first. */
async function listUserBatches(pool: Pool, projectId: string): Promise<UserBatchRow[]> {
  const { rows } = await pool.query<UserBatchRow>(
    `select ${columns} from activity.user_batches where project_id = $1 order by created_at desc, id limit ${listed}`,
    [projectId],
  );
  return rows;
}

/** In the order of the batch. */
async function listUserBatchFailures(
  pool: Pool,
  { projectId, id }: BatchOfProject,
  { after, limit }: FailurePage,
): Promise<UserBatchFailure[]> {
  const { rows } = await pool.query<UserBatchFailure>(
    `select nth, user_id as "userId", error, details from activity.user_batch_users
     where batch_id = $2 and project_id = $1 and error is not null and nth > $3 order by nth limit $4`,
    [projectId, id, after, limit],
  );
  return rows;
}

/** Users of a batch before it is the turn of the next one. */
export const usersPerTurn = 20;

/**
 * The users whom a batch that has ended may have changed, in its order. When it was canceled, the users of a turn were
 * being changed.
 */
async function listChangedUsers(pool: Pool, { projectId, id, done }: BatchProgress): Promise<string[]> {
  const { rows } = await pool.query<{ userId: string }>(
    `select user_id as "userId" from activity.user_batch_users
     where batch_id = $2 and project_id = $1 and nth < $3 and error is null order by nth`,
    [projectId, id, done + usersPerTurn],
  );
  return rows.map(({ userId }) => userId);
}

/** Those of all projects, the oldest first, whether they were started or not. */
export async function listRunningUserBatches(pool: Pool): Promise<UserBatchRow[]> {
  const { rows } = await pool.query<UserBatchRow>(
    `select ${columns} from activity.user_batches where ended_at is null order by created_at, id`,
  );
  return rows;
}

/** The users of a batch at `from` and after. */
export async function listNextUsers(
  pool: Pool,
  { id, projectId }: BatchOfProject,
  { from, limit }: { from: number; limit: number },
): Promise<string[]> {
  const { rows } = await pool.query<{ userId: string }>(
    `select user_id as "userId" from activity.user_batch_users
     where batch_id = $2 and project_id = $1 and nth >= $3 order by nth limit $4`,
    [projectId, id, from, limit],
  );
  return rows.map(({ userId }) => userId);
}

/**
 * Moves a batch from `done` by `count` users, and records those that failed, both or none of them.
 * @returns false if another process has moved it, or if it has ended
 */
export async function advanceUserBatch(
  pool: Pool,
  { id, done }: Pick<UserBatchRow, 'id' | 'done'>,
  { count, failures }: { count: number; failures: readonly Omit<UserBatchFailure, 'userId'>[] },
): Promise<boolean> {
  const { rows } = await pool.query(
    `with moved as (
       update activity.user_batches set done = done + $3, failed = failed + json_array_length($4::json)
       where id = $1 and done = $2 and ended_at is null returning id),
     failed as (
       update activity.user_batch_users u set error = f.error, details = f.details
       from moved, json_to_recordset($4::json) as f(nth int, error text, details jsonb)
       where u.batch_id = moved.id and u.nth = f.nth)
     select id from moved`,
    [id, done, count, JSON.stringify(failures)],
  );
  return rows.length > 0;
}

/** Keeps the first outcome. */
export async function endUserBatchRow(
  pool: Pool,
  { id, projectId }: BatchOfProject,
  outcome: UserBatchOutcome,
): Promise<void> {
  await pool.query(
    `update activity.user_batches set ended_at = now(), outcome = $3
     where project_id = $1 and id = $2 and ended_at is null`,
    [projectId, id, outcome],
  );
}

/** For a batch that was stored, but never started. */
export const deleteUserBatch = (pool: Pool, { id }: Pick<UserBatchRow, 'id'>): Promise<void> =>
  deleteBatches(pool, 'id = $1', id);

/** Deletes batches that ended before `before` (ISO time). */
export const forgetOldUserBatches = (pool: Pool, before: string): Promise<void> =>
  deleteBatches(pool, 'ended_at < $1', before);

async function deleteBatches(pool: Pool, condition: string, value: string): Promise<void> {
  await pool.query(
    `with deleted as (delete from activity.user_batches where ${condition} returning id)
     delete from activity.user_batch_users u using deleted where u.batch_id = deleted.id`,
    [value],
  );
}
