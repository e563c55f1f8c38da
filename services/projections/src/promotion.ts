import { inTransaction, type Pool, type PoolClient } from '@gatebook/runtime/postgres';
import {
  allShards,
  isCheckpointLost,
  listProjectionVersions,
  lockProjectionVersions,
  notifyChange,
  type ProjectionVersion,
} from './projection-versions.ts';

/**
 * Announces to all processes that `id` is about to be promoted. From then on, a response also waits until its write is
 * in this projection version, so that no process that reads it lacks an acknowledged write.
 */
export async function announcePromotion(
  pool: Pool,
  { id, groupName }: Pick<ProjectionVersion, 'id' | 'groupName'>,
): Promise<void> {
  await inTransaction(pool, async (tx) => {
    await tx.query('update readmodel.projection_versions set promoting_at = now() where id = $1', [id]);
    await notifyChange(tx, groupName);
  });
}

/**
 * Makes `id` the live projection version if it is ready and at least at the position of the live one, so that visible
 * writes stay visible, unless the live one has events that the log has lost. The former live version is kept for a
 * rollback; the one kept before is dropped. With `isNew`, leaves it alone if it was live before and has been rolled
 * back meanwhile. @returns false if the promotion must be tried again
 */
export async function promoteProjectionVersion(pool: Pool, id: number, { isNew = false } = {}): Promise<boolean> {
  return inTransaction(pool, async (tx) => {
    await lockProjectionVersions(tx);
    const all = await listProjectionVersions(tx, null);
    const next = all.find((projectionVersion) => projectionVersion.id === id);
    if (!next) throw new Error(`projection version ${id} does not exist`);
    if (next.status === 'live' || (isNew && next.status === 'previous')) return true;
    const siblings = all.filter(({ groupName }) => groupName === next.groupName);
    const live = siblings.find(({ status }) => status === 'live');
    if (!next.isReady || (live && !isCheckpointLost(live.stopped) && lacksEvents(next, live))) return false;
    const previous = siblings.find(({ status }) => status === 'previous');
    if (previous && previous.id !== id) await throwAway(tx, previous);
    await tx.query(`update readmodel.projection_versions set status = 'building' where id = $1`, [id]);
    if (live) {
      await tx.query(
        `update readmodel.projection_versions set status = 'previous', promoting_at = now() where id = $1`,
        [live.id],
      );
    }
    await tx.query(
      `update readmodel.projection_versions set status = 'live', is_standby = false, promoting_at = now(), updated_at = now() where id = $1`,
      [id],
    );
    await notifyChange(tx, next.groupName);
    return true;
  });
}

/** Whether `next` may lack events that are in `live`. Positions between a shard's events do not matter. */
function lacksEvents(next: ProjectionVersion, live: ProjectionVersion): boolean {
  if (next.shards.length !== live.shards.length) {
    return live.shards.some(({ appliedPosition }) => next.position < appliedPosition);
  }
  return allShards(next).some(({ shard, position }) => position < (live.shards[shard]?.appliedPosition ?? 0n));
}

/** Drops a projection version unless it is live. */
export async function dropProjectionVersion(pool: Pool, id: number): Promise<void> {
  await inTransaction(pool, async (tx) => {
    await lockProjectionVersions(tx);
    const projectionVersion = (await listProjectionVersions(tx, null)).find((candidate) => candidate.id === id);
    if (!projectionVersion) return;
    if (projectionVersion.status === 'live') throw new Error(`projection version ${id} is live`);
    await throwAway(tx, projectionVersion);
    await notifyChange(tx, projectionVersion.groupName);
  });
  await dropOrphans(pool);
}

/** Drops all projection versions of a group that is no longer used. */
export async function dropProjectionGroup(pool: Pool, groupName: string): Promise<void> {
  await inTransaction(pool, async (tx) => {
    await lockProjectionVersions(tx);
    const versions = await listProjectionVersions(tx, groupName);
    for (const version of versions) await throwAway(tx, version);
    if (versions.length > 0) await notifyChange(tx, groupName);
  });
  await dropOrphans(pool);
}

/**
 * Drops the schema later: a long read, such as a backup, may be using it, and checkpoints stand still until this
 * commit.
 */
async function throwAway(tx: PoolClient, { id, schema }: ProjectionVersion): Promise<void> {
  await tx.query('delete from readmodel.projection_versions where id = $1', [id]);
  await tx.query('delete from readmodel.quarantines where subscriber = $1', [schema]);
  await tx.query('insert into readmodel.orphaned_schemas (schema_name) values ($1)', [schema]);
}

/** Drops the schemas of dropped projection versions. A schema that is still being read is left for the next time. */
export async function dropOrphans(pool: Pool): Promise<void> {
  const { rows } = await pool.query<{ schema: string }>('select schema_name as schema from readmodel.orphaned_schemas');
  for (const { schema } of rows) {
    await inTransaction(pool, async (tx) => {
      await tx.query(`set local lock_timeout = ${readerMs}`);
      const { rowCount } = await tx.query('delete from readmodel.orphaned_schemas where schema_name = $1', [schema]);
      if (rowCount !== 1) return;
      await tx.query(`drop schema ${schema} cascade`);
      await tx.query('delete from readmodel.tombstones where schema_name = $1', [schema]);
    }).catch((error: unknown) => {
      if (!isLockTimeout(error)) throw error;
    });
  }
}

/** How long a drop blocks new readers while it waits for current ones. */
const readerMs = 100;

const isLockTimeout = (error: unknown) => error instanceof Error && 'code' in error && error.code === '55P03';
