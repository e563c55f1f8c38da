import type { EventStore } from '@gatebook/eventlog/port';
import { inTransaction, type Pool } from '@gatebook/runtime/postgres';
import { lockCheckpoints } from './consistency/live.ts';
import type { ProjectionGroup } from './projection-group.ts';
import { tablesOf } from './projection-tables.ts';
import { asShard, listProjectionVersions, type ProjectionVersion, unlessFrozen } from './projection-versions.ts';
import { CheckpointMovedError, projectBatch } from './projector.ts';

type Parts = { pool: Pool; store: EventStore; group: ProjectionGroup };

const pageSize = 1000;

/**
 * Runs `work` while the live projection version stands still and the other is level with it, unless the other is ahead,
 * has another number of shards, or the log ends earlier. Moving a checkpoint locks its row, so holding the locks on the
 * live rows stops it.
 */
export async function whileLevel(
  { pool, store, group }: Parts,
  live: ProjectionVersion,
  other: ProjectionVersion,
  work: () => Promise<void>,
): Promise<void> {
  await inTransaction(pool, async (tx) => {
    // A promotion in between would wait for us, and our batch for the promotion. Postgres does not see that deadlock.
    await tx.query(unlessFrozen);
    const ends = await lockCheckpoints(tx, live);
    if (ends.length === other.shards.length) {
      await Promise.all(ends.map((end, shard) => bringUp({ pool, store, group }, other, shard, end)));
    }
    return work();
  });
}

/** Applies what a shard lacks up to `end`. */
async function bringUp(
  { pool, store, group }: Parts,
  { id }: ProjectionVersion,
  number: number,
  end: bigint,
): Promise<void> {
  for (;;) {
    const shard = asShard(await findVersion(pool, group, id), number);
    const { position: from } = shard;
    const page = from < end ? await store.readAll(from, pageSize) : [];
    const events = page.filter(({ position }) => position <= end);
    if (events.length === 0) return;
    try {
      await projectBatch(pool, group, { ...shard, tables: tablesOf(group, shard) }, from, events);
    } catch (error) {
      if (!(error instanceof CheckpointMovedError)) throw error;
    }
  }
}

async function findVersion(pool: Pool, { name }: ProjectionGroup, id: number): Promise<ProjectionVersion> {
  const found = (await listProjectionVersions(pool, name)).find((version) => version.id === id);
  if (!found) throw new Error(`projection version ${id} of ${name} was dropped`);
  return found;
}
