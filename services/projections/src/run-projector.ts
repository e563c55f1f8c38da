import type { Recorded } from '@gatebook/domain/event';
import type { EventStore } from '@gatebook/eventlog/port';
import type { Logger } from '@gatebook/runtime/logger';
import { pause } from '@gatebook/runtime/pause';
import type { Pool } from '@gatebook/runtime/postgres';
import { startChecksums } from './consistency/checksum.ts';
import { answerRequests } from './operations/requested.ts';
import type { ProjectionGroup } from './projection-group.ts';
import {
  announcedMs,
  announcePromotion,
  createIndexes,
  createProjectionVersion,
  dropOrphans,
  dropProjectionVersion,
  isBuiltOrRead,
  listProjectionVersions,
  markReady,
  type ProjectionVersion,
  promoteProjectionVersion,
} from './projection-versions.ts';
import { CheckpointMovedError, ProjectionError, projectBatch } from './projector.ts';

const rebuildBatch = 10_000;
/** Small enough to not delay requests noticeably in a process that also answers requests. */
const sharedBatch = 100;
/** Rest after each batch, as a multiple of the time that the batch took. */
const restPerWork = 2;
const retryPauseMs = 500;
export type ProjectorParts = {
  store: EventStore;
  pool: Pool;
  group: ProjectionGroup;
  logger: Logger;
  /** Whether this process is answering requests right now. Then a rebuild uses small batches and rests between them. */
  isBusy?: () => boolean;
};

/**
 * Keeps every projection version of a group at the head of the log until `signal` aborts. Creates and promotes a new
 * projection version if the live one has another version than the group. Several projectors of a group do no harm: the
 * checkpoint lets one of them through.
 */
export async function runProjector(parts: ProjectorParts, signal: AbortSignal): Promise<void> {
  const { pool, group, logger } = parts;
  const following = new Map<number, Promise<void>>();
  const ownVersion = { isCreated: false };
  let answering: Promise<void> | undefined;
  await clearStops(parts, signal);
  while (!signal.aborted) {
    try {
      for (const projectionVersion of await projectionVersionsToFollow(pool, group, ownVersion)) {
        if (following.has(projectionVersion.id) || projectionVersion.stopped) continue;
        const ended = follow(parts, projectionVersion, signal)
          .catch((error: unknown) => recordStop(parts, projectionVersion, error))
          .finally(() => following.delete(projectionVersion.id));
        following.set(projectionVersion.id, ended);
      }
      const { hasOrphans, hasRequests } = await findChores(pool, group);
      if (hasRequests) {
        answering ??= answerRequests(parts)
          .catch((error: unknown) => logger.warn({ err: error, group: group.name }, 'requested operation failed'))
          .finally(() => {
            answering = undefined;
          });
      }
      if (hasOrphans) await dropOrphans(pool);
    } catch (error) {
      logger.warn({ err: error, group: group.name }, 'could not read projection versions, retrying');
    }
    await pause(retryPauseMs, signal);
  }
  await Promise.all([...following.values(), answering]);
}

/** One statement for both, because it runs often and rarely finds anything. */
async function findChores(
  pool: Pool,
  { name }: ProjectionGroup,
): Promise<{ hasOrphans: boolean; hasRequests: boolean }> {
  const { rows } = await pool.query<{ hasOrphans: boolean; hasRequests: boolean }>(
    `select exists (select from readmodel.orphaned_schemas) as "hasOrphans",
       exists (select from readmodel.operations where group_name = $1 and answer is null) as "hasRequests"`,
    [name],
  );
  return rows[0] ?? { hasOrphans: false, hasRequests: false };
}

/** Clears recorded stops, because newer code or a repaired database may apply the event. */
async function clearStops({ pool, group, logger }: ProjectorParts, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      await pool.query(
        'update readmodel.projection_versions set stopped_error = null, stopped_position = null where group_name = $1',
        [group.name],
      );
      return;
    } catch (error) {
      logger.warn({ err: error, group: group.name }, 'could not read projection versions, retrying');
      await pause(retryPauseMs, signal);
    }
  }
}

/**
 * The projection versions that this code follows. Creates one of its own version if there is none. When another version
 * has replaced this one, newer code is running: then this code neither builds its version again nor writes to the
 * other's, because the two would replace each other forever.
 */
async function projectionVersionsToFollow(
  pool: Pool,
  group: ProjectionGroup,
  ownVersion: { isCreated: boolean },
): Promise<ProjectionVersion[]> {
  const all = await listProjectionVersions(pool, group.name);
  const isOwn = ({ version }: ProjectionVersion) => version === group.version;
  const isForeignWork = (projectionVersion: ProjectionVersion) =>
    projectionVersion.status === 'building' && !isOwn(projectionVersion);
  const kept = all.filter((projectionVersion) => !isForeignWork(projectionVersion));
  if (kept.some((projectionVersion) => isBuiltOrRead(projectionVersion, group))) {
    ownVersion.isCreated = true;
    return kept;
  }
  if (ownVersion.isCreated) return all.filter(isOwn);
  for (const { id } of all.filter(isForeignWork)) await dropProjectionVersion(pool, id);
  const made = await createProjectionVersion(pool, group, { unlessMade: true });
  ownVersion.isCreated = true;
  return [...kept, made];
}

/**
 * Applies existing and new events. A projection version that is being built is promoted once it has caught up; a
 * standby stays at the head until an operator promotes it.
 */
async function follow(parts: ProjectorParts, projectionVersion: ProjectionVersion, signal: AbortSignal): Promise<void> {
  const { store, pool, group, logger } = parts;
  let { position } = projectionVersion;
  if (projectionVersion.status === 'building') {
    position = await catchUp(parts, projectionVersion, signal);
    if (signal.aborted) return;
    await createIndexes(pool, projectionVersion);
    position = await catchUp(parts, { ...projectionVersion, position }, signal);
    if (signal.aborted) return;
    await startChecksums(pool, projectionVersion);
    position = await catchUp(parts, { ...projectionVersion, position }, signal);
    if (signal.aborted) return;
    await markReady(pool, projectionVersion);
    if (projectionVersion.isStandby) {
      logger.info(
        { group: group.name, projectionVersion: projectionVersion.id, position: String(position) },
        'projection version is ready',
      );
    } else position = await promoteBuilt(parts, { ...projectionVersion, position }, signal);
  }
  // A live version from before checksums existed gets them now.
  const counting = projectionVersion.version === group.version ? countRows(parts, projectionVersion) : null;
  try {
    for await (const batch of store.subscribe(position, signal)) {
      position = await apply(parts, projectionVersion, position, batch);
    }
  } finally {
    await counting;
  }
}

async function countRows({ pool, group, logger }: ProjectorParts, projectionVersion: ProjectionVersion): Promise<void> {
  await startChecksums(pool, projectionVersion).catch((error: unknown) =>
    logger.warn(
      { err: error, group: group.name, projectionVersion: projectionVersion.id },
      'could not start checksums',
    ),
  );
}

/** Promotes a projection version that is ready, and keeps it at the head until that succeeds. */
async function promoteBuilt(
  parts: ProjectorParts,
  projectionVersion: ProjectionVersion,
  signal: AbortSignal,
): Promise<bigint> {
  const { pool, group, logger } = parts;
  let { position } = projectionVersion;
  if ((await listProjectionVersions(pool, group.name)).some(({ status }) => status === 'live')) {
    await announcePromotion(pool, projectionVersion);
    await pause(announcedMs, signal);
    position = await catchUp(parts, projectionVersion, signal);
  }
  const isPromoted = () => promoteProjectionVersion(pool, projectionVersion.id, { isNew: true });
  while (!signal.aborted && projectionVersion.version === group.version && !(await isPromoted())) {
    position = await catchUp(parts, { ...projectionVersion, position }, signal);
  }
  logger.info(
    { group: group.name, projectionVersion: projectionVersion.id, position: String(position) },
    'projection version is live',
  );
  return position;
}

/**
 * Applies events from the checkpoint to the current head; a busy log always has more. Reads the next page while it
 * writes the current one.
 */
async function catchUp(
  parts: ProjectorParts,
  projectionVersion: ProjectionVersion,
  signal: AbortSignal,
): Promise<bigint> {
  const { store, group, isBusy = () => false } = parts;
  const readAfter = (after: bigint) => {
    const events = store.readAll(after, isBusy() ? sharedBatch : rebuildBatch, group.unneeded);
    events.catch(() => undefined);
    return events;
  };
  const head = await store.head();
  let { position } = projectionVersion;
  let page = position < head ? readAfter(position) : null;
  while (!signal.aborted && page) {
    const start = performance.now();
    const events = await page;
    const last = events.at(-1);
    page = last && last.position < head ? readAfter(last.position) : null;
    position = await apply(parts, projectionVersion, position, events);
    if (isBusy()) await pause((performance.now() - start) * restPerWork, signal);
  }
  return position;
}

/** Applies a batch. If that fails, applies event by event, so that every event before the faulty one counts. */
async function apply(
  { pool, group }: ProjectorParts,
  projectionVersion: ProjectionVersion,
  from: bigint,
  events: readonly Recorded[],
): Promise<bigint> {
  const target =
    projectionVersion.version === group.version ? { ...projectionVersion, tables: group.tables } : projectionVersion;
  try {
    return await projectBatch(pool, group, target, from, events);
  } catch (error) {
    if (!(error instanceof ProjectionError) || events.length === 1) throw error;
    let position = from;
    for (const event of events) position = await projectBatch(pool, group, target, position, [event]);
    return position;
  }
}

/** A faulty event stops its projection version for good, visibly; any other failure is tried again. */
async function recordStop(
  { pool, group, logger }: ProjectorParts,
  projectionVersion: ProjectionVersion,
  error: unknown,
): Promise<void> {
  const at = { group: group.name, projectionVersion: projectionVersion.id };
  if (error instanceof CheckpointMovedError) {
    logger.debug(at, 'checkpoint moved by another projector');
  } else if (error instanceof ProjectionError || isUnreadable(error)) {
    logger.error({ ...at, err: error }, 'projection stopped');
    await pool
      .query(
        // Another projector, whose code can apply the event, may be past it.
        `update readmodel.projection_versions set stopped_error = $1, stopped_position = $2, updated_at = now()
         where id = $3 and ($2::bigint is null or position < $2)`,
        [(error as Error).message, error instanceof ProjectionError ? error.position : null, projectionVersion.id],
      )
      .catch((cause: unknown) => logger.error({ ...at, err: cause }, 'could not record the stop of a projection'));
  } else logger.warn({ ...at, err: error }, 'projection interrupted, retrying');
}

/** The log contains an event that this code cannot read, so waiting does not help. An unavailable log comes back. */
const isUnreadable = (error: unknown) =>
  error instanceof Error && ['UnknownEventVersionError', 'UnreadableEventError'].includes(error.name);
