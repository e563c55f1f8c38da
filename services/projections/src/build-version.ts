import type { Recorded } from '@gatebook/domain/event';
import { pause } from '@gatebook/runtime/pause';
import { requireCheckpoint } from './checkpoint.ts';
import { startChecksums } from './consistency/checksum.ts';
import { copyTables } from './copy-tables.ts';
import { least } from './positions.ts';
import { createIndexes, tablesOf } from './projection-tables.ts';
import {
  allShards,
  announcedMs,
  listProjectionVersions,
  markReady,
  type ProjectionShard,
  type ProjectionVersion,
} from './projection-versions.ts';
import { announcePromotion, promoteProjectionVersion } from './promotion.ts';
import { applyBatch, type ShardParts } from './shard-work.ts';

const rebuildBatch = 10_000;
/** Small enough to not delay requests noticeably in a process that also answers requests. */
const sharedBatch = 100;
/** Rest after each batch, as a multiple of the time that the batch took. */
const restPerWork = 2;

export type BuildParts = ShardParts & {
  /** Whether this process is answering requests right now. Then a rebuild uses small batches and rests between them. */
  isBusy?: () => boolean;
};

/**
 * Applies the log to all shards of a new projection version, creates its indexes, and promotes it unless it is a
 * standby. Its shards write at the same time. @returns the shards, or null if it was interrupted
 */
export async function buildVersion(
  parts: BuildParts,
  projectionVersion: ProjectionVersion,
  signal: AbortSignal,
): Promise<readonly ProjectionShard[] | null> {
  const { store, pool, group, logger, interruptions } = parts;
  let shards: readonly ProjectionShard[] = allShards(projectionVersion);
  const [first] = shards;
  if (!first) return null;
  for (const shard of shards) await requireCheckpoint(store, shard.schema, shard);
  if (projectionVersion.toCopy.length > 0) {
    // The last event of a page is there even if it is not needed, but without its data.
    const unneeded = group.unneededFor(tablesOf(group, projectionVersion));
    await catchUp({ ...parts, group: { ...group, unneeded } }, shards, signal);
    if (signal.aborted) return null;
    shards = await interruptions.attempt(first, 'copies', () => completeByCopies(parts, projectionVersion.id, signal));
  }
  shards = await catchUp(parts, shards, signal);
  if (signal.aborted) return null;
  await interruptions.attempt(first, 'indexes', () => createIndexes(pool, projectionVersion));
  shards = await catchUp(parts, shards, signal);
  if (signal.aborted) return null;
  await interruptions.attempt(first, 'checksums', () => startChecksums(pool, projectionVersion));
  shards = await catchUp(parts, shards, signal);
  if (signal.aborted) return null;
  await markReady(pool, projectionVersion);
  const at = { group: group.name, projectionVersion: projectionVersion.id };
  if (projectionVersion.isStandby) {
    logger.info({ ...at, position: String(positionOf(shards)) }, 'projection version is ready');
    return shards;
  }
  shards = await promoteBuilt(parts, projectionVersion, shards, signal);
  logger.info({ ...at, position: String(positionOf(shards)) }, 'projection version is live');
  return shards;
}

/** @returns the shards of the version, whose batches write all tables from now on */
async function completeByCopies(parts: BuildParts, id: number, signal: AbortSignal) {
  const { pool, group } = parts;
  const find = async () => {
    const found = (await listProjectionVersions(pool, group.name)).find((version) => version.id === id);
    if (!found) throw new Error(`projection version ${id} of ${group.name} was dropped`);
    return found;
  };
  await copyTables(parts, await find(), signal);
  return allShards(await find());
}

/** Promotes a projection version that is ready, and keeps it at the head until that succeeds. */
async function promoteBuilt(
  parts: BuildParts,
  projectionVersion: ProjectionVersion,
  built: readonly ProjectionShard[],
  signal: AbortSignal,
): Promise<readonly ProjectionShard[]> {
  const { pool, group } = parts;
  let shards = built;
  if ((await listProjectionVersions(pool, group.name)).some(({ status }) => status === 'live')) {
    await announcePromotion(pool, projectionVersion);
    await pause(announcedMs, signal);
    shards = await catchUp(parts, shards, signal);
  }
  const isPromoted = () => promoteProjectionVersion(pool, projectionVersion.id, { isNew: true });
  while (!signal.aborted && projectionVersion.version === group.version && !(await isPromoted())) {
    shards = await catchUp(parts, shards, signal);
  }
  return shards;
}

const positionOf = (shards: readonly ProjectionShard[]) => least(shards.map(({ position }) => position));

/**
 * Applies events from the checkpoints to the current head; a busy log always has more. Reads the next page while the
 * shards write the current one.
 */
async function catchUp(
  parts: BuildParts,
  built: readonly ProjectionShard[],
  signal: AbortSignal,
): Promise<readonly ProjectionShard[]> {
  const { store, group, isBusy = () => false } = parts;
  const readAfter = (after: bigint) => {
    const events = store.readAll(after, isBusy() ? sharedBatch : rebuildBatch, group.unneeded);
    events.catch(() => undefined);
    return events;
  };
  const head = await store.head();
  let shards = built;
  let page = positionOf(shards) < head ? readAfter(positionOf(shards)) : null;
  while (!signal.aborted && page) {
    const start = performance.now();
    const events = await page;
    const last = events.at(-1);
    page = last && last.position < head ? readAfter(last.position) : null;
    shards = await applyToAll(parts, shards, events);
    if (isBusy()) await pause((performance.now() - start) * restPerWork, signal);
  }
  return shards;
}

/** Waits for every shard, also if one fails, so that none is still writing when the build is tried again. */
async function applyToAll(parts: BuildParts, shards: readonly ProjectionShard[], events: readonly Recorded[]) {
  const results = await Promise.allSettled(
    shards.map((shard) => {
      const missing = events.filter(({ position }) => position > shard.position);
      return missing.length === 0 ? shard : applyBatch(parts, shard, missing);
    }),
  );
  return results.map((result) => {
    if (result.status === 'rejected') throw result.reason;
    return result.value;
  });
}
