import { migrate, type Pool } from '@gatebook/runtime/postgres';

export async function migrateWebhooks(pool: Pool): Promise<void> {
  await migrate(pool, new URL('./migrations/', import.meta.url), 'webhooks');
}

/** Tells every worker that there is something to send. */
export const webhooksChannel = 'gatebook_webhooks';

const maxDeletedRows = 2_000;
const ofEndpoint = ['replays', 'attempts', 'deliveries'] as const;
const ofProject = [...ofEndpoint, 'endpoints'] as const;

/** SQL: whether the endpoint with the ID `id` is deleted. */
export const isDeletedEndpoint = (id: string) =>
  `exists (select from webhooks.endpoints e where e.endpoint_id = ${id} and e.deleted_at is not null)`;

/**
 * Deletes what is stored about the webhooks of a project, or of one of its endpoints: a bounded number of rows at a
 * time. A deleted endpoint has a row, so that a process that does not know of the deletion adds nothing.
 */
export async function forgetWebhooks(
  pool: Pool,
  { projectId, endpointId }: { projectId: string; endpointId?: string },
  signal?: AbortSignal,
): Promise<void> {
  if (endpointId === undefined) {
    for (const table of ofProject) await deleteRows(pool, table, 'project_id = $1', projectId, signal);
    return;
  }
  await pool.query(
    `insert into webhooks.endpoints as e (endpoint_id, project_id, position, index, nth, deleted_at)
     values ($1, $2, 0, 0, 0, now())
     on conflict (endpoint_id) do update set deleted_at = coalesce(e.deleted_at, excluded.deleted_at)`,
    [endpointId, projectId],
  );
  for (const table of ofEndpoint) await deleteRows(pool, table, 'endpoint_id = $1', endpointId, signal);
}

/**
 * Attempts and delivered messages from before `before` (ISO 8601). Messages that failed stay, for a replay. Also what
 * was added of projects while they were erased, and of endpoints while they were deleted.
 */
export async function forgetOldDeliveries(pool: Pool, before: string, signal?: AbortSignal): Promise<void> {
  const isErased = 'project_id in (select e.project_id from keys.erased_projects e) and $1::text is not null';
  const isOfDeleted =
    'endpoint_id in (select e.endpoint_id from webhooks.endpoints e where e.deleted_at is not null) and $1::text is not null';
  for (const table of ofProject) await deleteRows(pool, table, isErased, before, signal);
  for (const table of ofEndpoint) await deleteRows(pool, table, isOfDeleted, before, signal);
  await deleteRows(pool, 'endpoints', 'deleted_at < $1', before, signal);
  await deleteRows(pool, 'attempts', 'at < $1', before, signal);
  await deleteRows(pool, 'deliveries', `status = 'delivered' and finished_at < $1`, before, signal);
  await deleteRows(pool, 'replays', 'coalesce(finished_at, canceled_at) < $1', before, signal);
}

/** @throws once `signal` aborts */
async function deleteRows(
  pool: Pool,
  table: string,
  condition: string,
  value: string,
  signal?: AbortSignal,
): Promise<void> {
  const text = `delete from webhooks.${table}
    where ctid = any (array(select ctid from webhooks.${table} where ${condition} limit ${maxDeletedRows}))`;
  for (let deleted: number | null = maxDeletedRows; deleted === maxDeletedRows; ) {
    signal?.throwIfAborted();
    ({ rowCount: deleted } = await pool.query(text, [value]));
  }
}
