import type { Recorded } from '@gatebook/domain/event';
import type { EventStore } from '@gatebook/eventlog/port';
import { noTracers, type Trace } from '@gatebook/runtime/instruments';
import type { Logger } from '@gatebook/runtime/logger';
import type { Pool } from '@gatebook/runtime/postgres';
import { requireCheckpoint } from './checkpoint.ts';
import { startChecksums } from './consistency/checksum.ts';
import { concerns } from './fold-events.ts';
import type { Interruptions } from './interruptions.ts';
import type { ProjectionGroup } from './projection-group.ts';
import { tablesOf } from './projection-tables.ts';
import { asShard, listProjectionVersions, type ProjectionShard } from './projection-versions.ts';
import { CheckpointMovedError, projectBatch } from './projector.ts';

/** A subscription that has waited this long for its first event works. */
const settledMs = 2_000;
/** How long a shard waits until it saves that it has passed events of other shards. */
const passedMs = 250;

export type ShardParts = {
  store: EventStore;
  pool: Pool;
  group: ProjectionGroup;
  logger: Logger;
  trace?: Trace;
  interruptions: Interruptions;
};

/**
 * Applies existing and new events to a shard. Its checkpoint passes events of other shards without a transaction for
 * each of them: nobody waits for those.
 */
export async function followShard(parts: ShardParts, shard: ProjectionShard, signal: AbortSignal): Promise<void> {
  const { store, group, interruptions } = parts;
  const { personal = false } = group.unneeded;
  // Somebody may wait for the position of any event, unless nobody waits for this group.
  const { delayMs, intervalMs } = group;
  const isAwaited = delayMs === undefined && intervalMs === undefined;
  const options = isAwaited ? { personal } : { ...group.unneeded, delayMs, intervalMs };
  await requireCheckpoint(store, shard.schema, shard);
  // A live version from before checksums existed gets them now.
  const counting = shard.shard === 0 && shard.version === group.version ? countRows(parts, shard) : null;
  const settled = setTimeout(() => void interruptions.clear(shard).catch(() => undefined), settledMs);
  const failed = new AbortController();
  let followed = shard;
  let passed: Recorded | undefined;
  let saving: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;
  const savePassed = () => {
    timer = undefined;
    saving = applyBatch(parts, followed, passed ? [passed] : []).then(
      (after) => {
        followed = after;
      },
      (error: unknown) => failed.abort(error),
    );
  };
  try {
    for await (const batch of store.subscribe(followed.position, AbortSignal.any([signal, failed.signal]), options)) {
      clearTimeout(settled);
      await saving;
      if (failed.signal.aborted) break;
      passed = batch.at(-1);
      if (batch.some((event) => concerns(group, followed, event))) {
        clearTimeout(timer);
        timer = undefined;
        followed = await applyBatch(parts, followed, batch);
      } else timer ??= setTimeout(savePassed, passedMs);
    }
  } finally {
    clearTimeout(settled);
    clearTimeout(timer);
    await Promise.all([counting, saving]);
  }
  if (failed.signal.aborted) throw failed.signal.reason;
}

async function countRows({ pool, group, logger }: ShardParts, projectionVersion: ProjectionShard): Promise<void> {
  await startChecksums(pool, projectionVersion).catch((error: unknown) =>
    logger.warn(
      { err: error, group: group.name, projectionVersion: projectionVersion.id },
      'could not start checksums',
    ),
  );
}

/** Applies a batch. @returns the shard after it */
export async function applyBatch(
  parts: ShardParts,
  shard: ProjectionShard,
  events: readonly Recorded[],
): Promise<ProjectionShard> {
  const { pool, group, logger, interruptions, trace = noTracers.trace } = parts;
  const { id, position: from } = shard;
  const target = { ...shard, tables: tablesOf(group, shard) };
  const attributes = { 'gatebook.projection_group': group.name, 'gatebook.event.count': events.length };
  try {
    const { failures, ...after } = await interruptions.attempt(shard, 'events', () =>
      trace({ name: 'project', causes: events, attributes }, () => projectBatch(pool, group, target, from, events)),
    );
    for (const { projectId, position: at, error } of failures) {
      const where = { group: group.name, projectionVersion: id, project: projectId, position: String(at) };
      logger.error({ ...where, error }, 'project quarantined');
    }
    return { ...shard, ...after, eventId: events.at(-1)?.id ?? shard.eventId };
  } catch (error) {
    if (!(error instanceof CheckpointMovedError)) throw error;
    const version = (await listProjectionVersions(pool, group.name)).find((one) => one.id === id);
    const now = version && asShard(version, shard.shard);
    if (now?.position !== from || now.quarantine.revision === shard.quarantine.revision) throw error;
    // These events were read without those that only the copied tables need.
    if (now.toCopy.length !== shard.toCopy.length) throw error;
    // Only the quarantine has changed.
    return applyBatch(parts, now, events);
  }
}
