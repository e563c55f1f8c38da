import type { Recorded } from '@gatebook/domain/event';
import { type EventStore, LogFellBackError } from '@gatebook/eventlog/port';
import { noTracers, type Trace } from '@gatebook/runtime/instruments';
import type { Logger } from '@gatebook/runtime/logger';
import { pause } from '@gatebook/runtime/pause';
import type { Pool } from '@gatebook/runtime/postgres';
import { CheckpointLostError, requireCheckpoint } from './checkpoint.ts';
import { clearTombstones } from './clear-tombstones.ts';
import { startChecksums } from './consistency/checksum.ts';
import { createInterruptions, type Interruptions } from './interruptions.ts';
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
  tablesOf,
} from './projection-versions.ts';
import { CheckpointMovedError, projectBatch } from './projector.ts';
import { requestRelease } from './quarantine/quarantine.ts';
import { releaseDue } from './quarantine/release-project.ts';

const rebuildBatch = 10_000;
/** Small enough to not delay requests noticeably in a process that also answers requests. */
const sharedBatch = 100;
/** Rest after each batch, as a multiple of the time that the batch took. */
const restPerWork = 2;
const retryPauseMs = 500;
/** A subscription that has waited this long for its first event works. */
const settledMs = 2_000;
export type ProjectorParts = {
  store: EventStore;
  pool: Pool;
  group: ProjectionGroup;
  logger: Logger;
  trace?: Trace;
  /** Whether this process is answering requests right now. Then a rebuild uses small batches and rests between them. */
  isBusy?: () => boolean;
};

type FollowParts = ProjectorParts & { interruptions: Interruptions };

/**
 * Keeps every projection version of a group at the head of the log until `signal` aborts. Creates and promotes a new
 * projection version if the live one has another version than the group. Several projectors of a group do no harm: the
 * checkpoint lets one of them through.
 */
export async function runProjector(parts: ProjectorParts, signal: AbortSignal): Promise<void> {
  const { pool, group, logger } = parts;
  const interruptions = createInterruptions(parts);
  const following = new Map<number, Promise<void>>();
  const ownVersion = { isCreated: false };
  let answering: Promise<void> | undefined;
  let clearing: Promise<void> | undefined;
  let releasing: Promise<void> | undefined;
  await clearStops(parts, signal);
  while (!signal.aborted) {
    try {
      for (const projectionVersion of await projectionVersionsToFollow(pool, group, ownVersion)) {
        const { id, stopped } = projectionVersion;
        if (following.has(id) || (stopped && !stopped.isRetried) || interruptions.isPaused(id)) continue;
        const ended = follow({ ...parts, interruptions }, projectionVersion, signal)
          .catch((error: unknown) => recordFailure({ ...parts, interruptions }, projectionVersion, error))
          .finally(() => following.delete(id));
        following.set(id, ended);
      }
      const { hasOrphans, hasRequests, hasTombstones, hasReleases } = await findChores(pool, group);
      if (hasRequests) {
        answering ??= answerRequests(parts)
          .catch((error: unknown) => logger.warn({ err: error, group: group.name }, 'requested operation failed'))
          .finally(() => {
            answering = undefined;
          });
      }
      if (hasTombstones) {
        clearing ??= clearTombstones(pool, group, signal)
          .catch((error: unknown) =>
            logger.warn({ err: error, group: group.name }, 'could not clear tombstones, retrying'),
          )
          .finally(() => {
            clearing = undefined;
          });
      }
      if (hasReleases) {
        releasing ??= releaseDue(parts, [...following.keys()], signal)
          .catch((error: unknown) => logger.warn({ err: error, group: group.name }, 'release interrupted, retrying'))
          .finally(() => {
            releasing = undefined;
          });
      }
      if (hasOrphans) await dropOrphans(pool);
    } catch (error) {
      logger.warn({ err: error, group: group.name }, 'could not read projection versions, retrying');
    }
    await pause(retryPauseMs, signal);
  }
  await Promise.all([...following.values(), answering, clearing, releasing]);
}

type Chores = { hasOrphans: boolean; hasRequests: boolean; hasTombstones: boolean; hasReleases: boolean };

/** One statement for all, because it runs often and rarely finds anything. */
async function findChores(pool: Pool, { name }: ProjectionGroup): Promise<Chores> {
  const { rows } = await pool.query<Chores>(
    `select exists (select from readmodel.orphaned_schemas) as "hasOrphans",
       exists (select from readmodel.quarantines where retry_at <= now()) as "hasReleases",
       exists (select from readmodel.tombstones t join readmodel.projection_versions v using (schema_name)
         where not t.is_cleared and v.group_name = $1 and v.ready_at is not null) as "hasTombstones",
       exists (select from readmodel.operations where group_name = $1 and answer is null) as "hasRequests"`,
    [name],
  );
  return rows[0] ?? { hasOrphans: false, hasRequests: false, hasTombstones: false, hasReleases: false };
}

/** Clears recorded stops and tries quarantined projects again, because newer code may apply their events. */
async function clearStops({ pool, group, logger }: ProjectorParts, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      await pool.query(
        'update readmodel.projection_versions set stopped_error = null, stopped_position = null where group_name = $1',
        [group.name],
      );
      const versions = await listProjectionVersions(pool, group.name);
      await requestRelease(pool, { subscribers: versions.map(({ schema }) => schema) });
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
async function follow(parts: FollowParts, projectionVersion: ProjectionVersion, signal: AbortSignal): Promise<void> {
  const { store, pool, group, logger, interruptions } = parts;
  const { id } = projectionVersion;
  await requireCheckpoint(store, projectionVersion.schema, projectionVersion);
  let followed = projectionVersion;
  if (projectionVersion.status === 'building') {
    followed = await catchUp(parts, followed, signal);
    if (signal.aborted) return;
    await interruptions.attempt(id, 'indexes', () => createIndexes(pool, projectionVersion));
    followed = await catchUp(parts, followed, signal);
    if (signal.aborted) return;
    await interruptions.attempt(id, 'checksums', () => startChecksums(pool, projectionVersion));
    followed = await catchUp(parts, followed, signal);
    if (signal.aborted) return;
    await markReady(pool, projectionVersion);
    if (projectionVersion.isStandby) {
      logger.info(
        { group: group.name, projectionVersion: projectionVersion.id, position: String(followed.position) },
        'projection version is ready',
      );
    } else followed = await promoteBuilt(parts, followed, signal);
  }
  // A live version from before checksums existed gets them now.
  const counting = projectionVersion.version === group.version ? countRows(parts, projectionVersion) : null;
  const settled = setTimeout(() => void interruptions.clear(id).catch(() => undefined), settledMs);
  try {
    const { unneeded, delayMs } = group;
    const { personal = false } = unneeded;
    // Somebody may wait for the position of any event, unless nobody waits for this group.
    const options = delayMs === undefined ? { personal } : { ...unneeded, delayMs };
    for await (const batch of store.subscribe(followed.position, signal, options)) {
      clearTimeout(settled);
      followed = await apply(parts, followed, batch);
    }
  } finally {
    clearTimeout(settled);
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
  parts: FollowParts,
  projectionVersion: ProjectionVersion,
  signal: AbortSignal,
): Promise<ProjectionVersion> {
  const { pool, group, logger } = parts;
  let followed = projectionVersion;
  if ((await listProjectionVersions(pool, group.name)).some(({ status }) => status === 'live')) {
    await announcePromotion(pool, projectionVersion);
    await pause(announcedMs, signal);
    followed = await catchUp(parts, followed, signal);
  }
  const isPromoted = () => promoteProjectionVersion(pool, projectionVersion.id, { isNew: true });
  while (!signal.aborted && projectionVersion.version === group.version && !(await isPromoted())) {
    followed = await catchUp(parts, followed, signal);
  }
  logger.info(
    { group: group.name, projectionVersion: projectionVersion.id, position: String(followed.position) },
    'projection version is live',
  );
  return followed;
}

/**
 * Applies events from the checkpoint to the current head; a busy log always has more. Reads the next page while it
 * writes the current one.
 */
async function catchUp(
  parts: FollowParts,
  projectionVersion: ProjectionVersion,
  signal: AbortSignal,
): Promise<ProjectionVersion> {
  const { store, group, isBusy = () => false } = parts;
  const readAfter = (after: bigint) => {
    const events = store.readAll(after, isBusy() ? sharedBatch : rebuildBatch, group.unneeded);
    events.catch(() => undefined);
    return events;
  };
  const head = await store.head();
  let followed = projectionVersion;
  let page = followed.position < head ? readAfter(followed.position) : null;
  while (!signal.aborted && page) {
    const start = performance.now();
    const events = await page;
    const last = events.at(-1);
    page = last && last.position < head ? readAfter(last.position) : null;
    followed = await apply(parts, followed, events);
    if (isBusy()) await pause((performance.now() - start) * restPerWork, signal);
  }
  return followed;
}

/** Applies a batch. @returns the projection version after it */
async function apply(
  parts: FollowParts,
  projectionVersion: ProjectionVersion,
  events: readonly Recorded[],
): Promise<ProjectionVersion> {
  const { pool, group, logger, interruptions, trace = noTracers.trace } = parts;
  const { id, position: from } = projectionVersion;
  const target = { ...projectionVersion, tables: tablesOf(group, projectionVersion) };
  const attributes = { 'gatebook.projection_group': group.name, 'gatebook.event.count': events.length };
  try {
    const { failures, position, quarantine } = await interruptions.attempt(id, 'events', () =>
      trace({ name: 'project', causes: events, attributes }, () => projectBatch(pool, group, target, from, events)),
    );
    for (const { projectId, position: at, error } of failures) {
      const where = { group: group.name, projectionVersion: id, project: projectId, position: String(at) };
      logger.error({ ...where, error }, 'project quarantined');
    }
    return { ...projectionVersion, position, eventId: events.at(-1)?.id ?? null, quarantine };
  } catch (error) {
    if (!(error instanceof CheckpointMovedError)) throw error;
    const now = (await listProjectionVersions(pool, group.name)).find((version) => version.id === id);
    if (now?.position !== from || now.quarantine.revision === projectionVersion.quarantine.revision) throw error;
    // Only the quarantine has changed.
    return apply(parts, { ...projectionVersion, quarantine: now.quarantine }, events);
  }
}

/** A checkpoint that is not in the log stops its projection version for good; any other failure is tried again. */
async function recordFailure(
  { pool, group, logger, interruptions }: FollowParts,
  projectionVersion: ProjectionVersion,
  error: unknown,
): Promise<void> {
  const at = { group: group.name, projectionVersion: projectionVersion.id };
  if (error instanceof CheckpointMovedError) logger.debug(at, 'checkpoint moved by another projector');
  else if (error instanceof LogFellBackError) logger.warn(at, 'projection starts again from its checkpoint');
  else if (error instanceof CheckpointLostError) {
    logger.error({ ...at, err: error }, 'projection stopped');
    await pool
      .query(
        `update readmodel.projection_versions set stopped_error = $1, stopped_position = null, is_retried = false, updated_at = now()
         where id = $2 and position = $3`,
        [error.message, projectionVersion.id, error.position],
      )
      .catch((cause: unknown) => logger.error({ ...at, err: cause }, 'could not record the stop of a projection'));
  } else await interruptions.record(projectionVersion, error);
}
