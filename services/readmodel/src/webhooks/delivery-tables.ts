import { migrate, type Pool } from '@gatebook/runtime/postgres';

export async function migrateWebhooks(pool: Pool): Promise<void> {
  await migrate(pool, new URL('./migrations/', import.meta.url), 'webhooks');
}

/** Tells every worker that there is something to send. */
export const webhooksChannel = 'gatebook_webhooks';

const maxDeletedRows = 2_000;
const ofEndpoint = ['replays', 'attempts', 'deliveries'] as const;
const ofProject = [...ofEndpoint, 'endpoints'] as const;

/**
 * Deletes what is stored about the webhooks of a project, or of one endpoint: a bounded number of rows at a time. A
 * deleted endpoint keeps its row, so that a process that does not know of the deletion adds nothing.
 */
export async function forgetWebhooks(pool: Pool, of: { projectId: string } | { endpointId: string }): Promise<void> {
  if ('projectId' in of) {
    for (const table of ofProject) await deleteRows(pool, table, 'project_id = $1', of.projectId);
    return;
  }
  const { endpointId } = of;
  await pool.query('update webhooks.endpoints set deleted_at = coalesce(deleted_at, now()) where endpoint_id = $1', [
    endpointId,
  ]);
  for (const table of ofEndpoint) await deleteRows(pool, table, 'endpoint_id = $1', endpointId);
}

/**
 * Attempts and delivered messages from before `before` (ISO 8601). Messages that failed stay, for a replay. Also what
 * was added of projects while they were erased.
 */
export async function forgetOldDeliveries(pool: Pool, before: string): Promise<void> {
  const isErased = 'project_id in (select e.project_id from keys.erased_projects e) and $1::text is not null';
  for (const table of ofProject) await deleteRows(pool, table, isErased, before);
  await deleteRows(pool, 'endpoints', 'deleted_at < $1', before);
  await deleteRows(pool, 'attempts', 'at < $1', before);
  await deleteRows(pool, 'deliveries', `status = 'delivered' and finished_at < $1`, before);
  await deleteRows(pool, 'replays', 'coalesce(finished_at, canceled_at) < $1', before);
}

async function deleteRows(pool: Pool, table: string, condition: string, value: string): Promise<void> {
  const text = `delete from webhooks.${table}
    where ctid = any (array(select ctid from webhooks.${table} where ${condition} limit ${maxDeletedRows}))`;
  for (let deleted: number | null = maxDeletedRows; deleted === maxDeletedRows; ) {
    ({ rowCount: deleted } = await pool.query(text, [value]));
  }
}
