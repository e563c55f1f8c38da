import { type EventStore, LogFellBackError } from '@gatebook/eventlog/port';
import { createChangeWatch } from '@gatebook/runtime/change-watch';
import type { Trace } from '@gatebook/runtime/instruments';
import type { Listener } from '@gatebook/runtime/listener';
import type { Logger } from '@gatebook/runtime/logger';
import { pause } from '@gatebook/runtime/pause';
import type { Pool } from '@gatebook/runtime/postgres';
import { buildVersion } from './build-version.ts';
import { CheckpointLostError } from './checkpoint.ts';
import { clearTombstones } from './clear-tombstones.ts';
import { findCopyable } from './copy-tables.ts';
import { createInterruptions, type Interruptions } from './interruptions.ts';
import { answerRequests, operationsChannel } from './operations/requested.ts';
import type { ProjectionGroup } from './projection-group.ts';
import {
  allShards,
  createProjectionVersion,
  isBuiltOrRead,
  isCheckpointLost,
  listProjectionVersions,
  type ProjectionShard,
  type ProjectionVersion,
  projectionVersionsChannel,
} from './projection-versions.ts';
import { CheckpointMovedError, projectedChannel } from './projector.ts';
import { dropOrphans, dropProjectionVersion } from './promotion.ts';
import { quarantineChannel, requestRelease } from './quarantine/quarantine.ts';
import { releaseDue } from './quarantine/release-project.ts';
import { followShard } from './shard-work.ts';

const retryPauseMs = 500;
const handOverMs = 2 * retryPauseMs;

export type ProjectorParts = {
  store: EventStore;
  pool: Pool;
  group: ProjectionGroup;
  logger: Logger;
  /** Spares looks at projection versions and chores while nothing changes. */
  listener?: Listener;
  trace?: Trace;
  /** Whether this process is answering requests right now. Then a rebuild uses small batches and rests between them. */
  isBusy?: () => boolean;
  /** The shards that this process follows, each until its signal aborts; absent for all. */
  leases?: () => ReadonlyMap<number, AbortSignal>;
};

/** What can make a projection version or a chore appear. A batch can quarantine a project or write a tombstone. */
const channels = [projectionVersionsChannel, projectedChannel, quarantineChannel, operationsChannel];

type FollowParts = ProjectorParts & { interruptions: Interruptions };

/**
 * Keeps every projection version of a group at the head of the log until `signal` aborts. Creates and promotes a new
 * projection version if the live one has another version than the group, or another number of shards. Several
 * projectors of a group do no harm: each checkpoint lets one of them through.
 */
export async function runProjector(parts: ProjectorParts, signal: AbortSignal): Promise<void> {
  const { pool, group, logger } = parts;
  const workers = createWorkers(parts, signal);
  const ownVersion = { isCreated: false };
  const chores = createChores(logger, group);
  await clearStops(parts, signal);
  const changes = await createChangeWatch(parts.leases ? undefined : parts.listener, channels);
  /** Nothing was left to do for these. */
  let settled: readonly ProjectionVersion[] | null = null;
  while (!signal.aborted) {
    if (settled?.every(workers.isFollowing) && !changes.mayHaveChanged()) {
      await pause(retryPauseMs, signal);
      continue;
    }
    try {
      settled = null;
      const versions = await projectionVersionsToFollow(parts, ownVersion);
      for (const version of versions) {
        if (isBuilding(version)) workers.build(version);
        else workers.follow(version);
      }
      const { hasOrphans, hasRequests, hasTombstones, hasReleases } = await findChores(pool, group);
      if (hasRequests) chores.start('requested operation failed', () => answerRequests(parts, signal));
      if (hasTombstones) {
        chores.start('could not clear tombstones, retrying', () => clearTombstones(pool, group, signal));
      }
      if (hasReleases) chores.start('release interrupted, retrying', () => releaseDue(parts, versions, signal));
      if (hasOrphans) await dropOrphans(pool);
      if (!hasRequests && !hasTombstones && !hasReleases && !hasOrphans) settled = versions;
    } catch (error) {
      logger.warn({ err: error, group: group.name }, 'could not read projection versions, retrying');
    }
    await pause(retryPauseMs, signal);
  }
  await Promise.all([changes.close(), workers.ended(), chores.ended()]);
}

/**
 * Follows the shards that `leases` names until `signal` aborts. Another process creates and builds projection versions.
 */
export async function runShards(
  parts: ProjectorParts & { leases: NonNullable<ProjectorParts['leases']> },
  signal: AbortSignal,
): Promise<void> {
  const { pool, group, logger } = parts;
  const workers = createWorkers(parts, signal);
  const ownVersion = { isCreated: false };
  while (!signal.aborted) {
    try {
      const { kept } = choose(await listProjectionVersions(pool, group.name), group, ownVersion);
      for (const version of kept) if (!isBuilding(version)) workers.follow(version);
    } catch (error) {
      logger.warn({ err: error, group: group.name }, 'could not read projection versions, retrying');
    }
    await pause(retryPauseMs, signal);
  }
  await workers.ended();
}

const isBuilding = ({ status, isStandby, isReady }: ProjectionVersion) =>
  status === 'building' && !(isStandby && isReady);

/** Runs one task for each projection version that is being built, and one for each shard of the others. */
function createWorkers(parts: ProjectorParts, signal: AbortSignal) {
  const interruptions = createInterruptions(parts);
  const withInterruptions = { ...parts, interruptions };
  const running = new Map<string, Promise<void>>();

  function start(name: string, shard: ProjectionShard, work: () => Promise<void>): void {
    if (running.has(name) || interruptions.isPaused(shard) || signal.aborted) return;
    const ended = work()
      .catch((error: unknown) => recordFailure(withInterruptions, shard, error))
      .finally(() => running.delete(name));
    running.set(name, ended);
  }

  function followOne(shard: ProjectionShard, until: AbortSignal): void {
    if (isCheckpointLost(shard.stopped)) return;
    start(`${shard.id}/${shard.shard}`, shard, () => followShard(withInterruptions, shard, until));
  }

  function follow(version: ProjectionVersion): void {
    const leased = parts.leases?.();
    for (const shard of allShards(version)) {
      const lease = leased ? leased.get(shard.shard) : signal;
      if (lease && !lease.aborted) followOne(shard, AbortSignal.any([signal, lease]));
    }
  }

  function build(version: ProjectionVersion): void {
    const [first] = allShards(version);
    if (!first || version.shards.some(({ stopped }) => isCheckpointLost(stopped))) return;
    start(String(version.id), first, async () => {
      const built = await buildVersion(withInterruptions, version, signal);
      // Other processes begin to follow their shards a moment later.
      const until = parts.leases ? AbortSignal.any([signal, AbortSignal.timeout(handOverMs)]) : signal;
      for (const shard of built ?? []) followOne(shard, until);
    });
  }

  const isFollowing = (version: ProjectionVersion): boolean =>
    allShards(version).every(({ id, shard }) => running.has(`${id}/${shard}`));

  return { build, follow, isFollowing, ended: async () => void (await Promise.all(running.values())) };
}

/** Runs each kind of chore once at a time, named by the message that a failure is logged with. */
function createChores(logger: Logger, group: ProjectionGroup) {
  const running = new Map<string, Promise<void>>();
  return {
    start(failure: string, work: () => Promise<void>): void {
      if (running.has(failure)) return;
      const ended = work()
        .catch((error: unknown) => logger.warn({ err: error, group: group.name }, failure))
        .finally(() => running.delete(failure));
      running.set(failure, ended);
    },
    ended: async () => void (await Promise.all(running.values())),
  };
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
        `update readmodel.projection_shards set stopped_error = null, stopped_position = null
         where version_id in (select id from readmodel.projection_versions where group_name = $1)
           and stopped_error is not null`,
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

/** The projection versions that this code follows. Creates one of its own version if there is none. */
async function projectionVersionsToFollow(
  parts: ProjectorParts,
  ownVersion: { isCreated: boolean },
): Promise<readonly ProjectionVersion[]> {
  const { pool, group } = parts;
  const { kept, foreign, own, isOwnMissing } = choose(
    await listProjectionVersions(pool, group.name),
    group,
    ownVersion,
  );
  if (!isOwnMissing) return kept;
  for (const { id } of foreign) await dropProjectionVersion(pool, id);
  const made = await createProjectionVersion(pool, own, { unlessMade: true, toCopy: await findCopyable(pool, own) });
  ownVersion.isCreated = true;
  return [...kept, made];
}

/**
 * When another version has replaced the own one, newer code is running: then this code neither builds its version again
 * nor writes to the other's, because the two would replace each other forever.
 */
function choose(all: readonly ProjectionVersion[], group: ProjectionGroup, ownVersion: { isCreated: boolean }) {
  const shards = group.shards ?? all.find(({ status }) => status === 'live')?.shards.length ?? 1;
  const own = { ...group, shards };
  const isOwn = (one: ProjectionVersion) => one.version === group.version && one.shards.length === shards;
  const foreign = all.filter((one) => one.status === 'building' && !isOwn(one));
  const kept = all.filter((one) => !foreign.includes(one));
  const hasOwn = kept.some((one) => isBuiltOrRead(one, own));
  const isReplaced = !hasOwn && ownVersion.isCreated;
  ownVersion.isCreated ||= hasOwn;
  return { kept: isReplaced ? all.filter(isOwn) : kept, foreign, own, isOwnMissing: !hasOwn && !isReplaced };
}

/** A checkpoint that is not in the log stops its shard for good; any other failure is tried again. */
async function recordFailure(
  { pool, group, logger, interruptions }: FollowParts,
  shard: ProjectionShard,
  error: unknown,
): Promise<void> {
  const at = { group: group.name, projectionVersion: shard.id, shard: shard.shard };
  if (error instanceof CheckpointMovedError) logger.debug(at, 'checkpoint moved by another projector');
  else if (error instanceof LogFellBackError) logger.warn(at, 'projection starts again from its checkpoint');
  else if (error instanceof CheckpointLostError) {
    logger.error({ ...at, err: error }, 'projection stopped');
    await pool
      .query(
        `update readmodel.projection_shards
         set stopped_error = $1, stopped_position = null, is_retried = false, updated_at = now()
         where version_id = $2 and position = $3`,
        [error.message, shard.id, error.position],
      )
      .catch((cause: unknown) => logger.error({ ...at, err: cause }, 'could not record the stop of a projection'));
  } else await interruptions.record(shard, error);
}
