import type { EventStore } from '@gatebook/eventlog/port';
import type { Logger } from '@gatebook/runtime/logger';
import { inTransaction, type Pool, type PoolClient } from '@gatebook/runtime/postgres';
import { raiseCommitTimes } from '../commit-times.ts';
import { foldWaiting } from '../fold-events.ts';
import type { ProjectionGroup } from '../projection-group.ts';
import { tablesOf } from '../projection-tables.ts';
import {
  asShard,
  listProjectionVersions,
  type ProjectionShard,
  type ProjectionVersion,
  unlessFrozen,
} from '../projection-versions.ts';
import { announce, CheckpointMovedError, RowRejectedError, writeRows, writeVersionsOf } from '../projector.ts';
import {
  describeFailure,
  type Failure,
  keepQuarantined,
  listQuarantined,
  placeOf,
  type Quarantined,
} from './quarantine.ts';

type Parts = { store: EventStore; pool: Pool; group: ProjectionGroup; logger: Logger };
type Step = { after: bigint; isReleased: boolean; failure: Failure | null };

/** Small, because other batches of the projection version wait meanwhile. */
const pageSize = 500;

/** Applies the waiting events of quarantined projects that are to be tried again. */
export async function releaseDue(
  parts: Parts,
  followed: readonly Pick<ProjectionVersion, 'id'>[],
  signal: AbortSignal,
): Promise<void> {
  const { pool, group } = parts;
  const ids = followed.map(({ id }) => id);
  const versions = (await listProjectionVersions(pool, group.name)).filter(({ id }) => ids.includes(id));
  const due = await listQuarantined(pool, { dueOf: versions.map(({ schema }) => schema) });
  for (const quarantined of due) {
    const version = versions.find(({ schema }) => schema === quarantined.subscriber);
    if (!version) continue;
    const shard = asShard({ ...version, tables: tablesOf(group, version) }, quarantined.shard);
    await releaseProject(parts, shard, quarantined, signal);
  }
}

/**
 * Applies the waiting events of a quarantined project in order, in batches, until it has caught up with its shard. Then
 * it is released in the same transaction. If an event fails, the project stays quarantined there.
 */
async function releaseProject(
  parts: Parts,
  version: ProjectionShard,
  quarantined: Quarantined,
  signal: AbortSignal,
): Promise<void> {
  const { group, logger } = parts;
  const { projectId } = quarantined;
  const where = { group: group.name, projectionVersion: version.id, project: projectId };
  let { after } = quarantined;
  let limit = pageSize;
  while (!signal.aborted) {
    try {
      const step = await applyPage(parts, version, { projectId, after, limit });
      if (step.isReleased) return logger.info(where, 'project released');
      if (step.failure) {
        const { position, error } = step.failure;
        return logger.error({ ...where, position: String(position), error }, 'project still quarantined');
      }
      after = step.after;
    } catch (error) {
      if (error instanceof CheckpointMovedError) return;
      if (!(error instanceof RowRejectedError)) throw error;
      if (limit === 1) return blame(parts, version, { projectId, after, error });
      // Smaller pages, until the faulty event is alone.
      limit >>= 1;
    }
  }
}

type Place = { projectId: string; after: bigint; limit: number };

const subscriberOf = ({ schema, shard }: ProjectionShard) => ({ subscriber: schema, shard });

/** Reads most events first, so that other batches wait only for the rest. */
async function applyPage(parts: Parts, version: ProjectionShard, { projectId, after, limit }: Place): Promise<Step> {
  const { store, pool, group } = parts;
  const projects = group.shared ? [projectId, group.shared.projectId] : [projectId];
  const page = await store.readProjects(projects, after, limit, group.unneeded);
  return inTransaction(pool, async (tx) => {
    await tx.query(unlessFrozen);
    const { position, hasChecksums } = await lockCheckpoint(tx, version, projectId, after);
    let { events, upTo } = page;
    if (upTo < position && events.length < limit) {
      const rest = await store.readProjects(projects, upTo, limit, group.unneeded);
      events = [...events, ...rest.events];
      upTo = rest.upTo;
    }
    const passed = events.filter((event) => event.position <= position);
    const raised = await raiseCommitTimes(tx, group, version, passed);
    const changes = foldWaiting(group, version, { projectId, after, events: raised });
    const [failure = null] = changes.failures;
    const end = failure?.after ?? (upTo < position ? upTo : position);
    const isReleased = !failure && end === position;
    if (failure) await keepQuarantined(tx, subscriberOf(version), failure, null);
    else if (isReleased) await release(tx, version, projectId);
    else await moveOn(tx, version, projectId, end);
    const checksums = await writeRows(tx, group, version, changes, { position, hasChecksums });
    await writeVersionsOf(tx, group, version, changes, { position, checksums });
    await announce(tx, version, position, checksums);
    return { after: end, isReleased, failure };
  });
}

/** Until the transaction ends, the checkpoint stands still. @throws CheckpointMovedError if another process releases */
async function lockCheckpoint(tx: PoolClient, version: ProjectionShard, projectId: string, after: bigint) {
  const { rows } = await tx.query<{ position: string; hasChecksums: boolean }>(
    `update readmodel.projection_shards set updated_at = now() where version_id = $1 and shard = $2
     returning position, has_checksums as "hasChecksums"`,
    [version.id, version.shard],
  );
  const { rowCount } = await tx.query(
    `select from readmodel.quarantines
     where subscriber = $1 and shard = $2 and project_id = $3 and after_position = $4 for update`,
    [version.schema, version.shard, projectId, after],
  );
  const [row] = rows;
  if (!row || rowCount !== 1) throw new CheckpointMovedError(version);
  return { position: BigInt(row.position), hasChecksums: row.hasChecksums };
}

async function release(tx: PoolClient, { id, schema, shard }: ProjectionShard, projectId: string): Promise<void> {
  await tx.query('delete from readmodel.quarantines where subscriber = $1 and shard = $2 and project_id = $3', [
    schema,
    shard,
    projectId,
  ]);
  await tx.query(
    `update readmodel.projection_shards set quarantine_revision = quarantine_revision + 1
     where version_id = $1 and shard = $2`,
    [id, shard],
  );
}

async function moveOn(tx: PoolClient, { schema, shard }: ProjectionShard, projectId: string, to: bigint) {
  await tx.query(
    'update readmodel.quarantines set after_position = $4 where subscriber = $1 and shard = $2 and project_id = $3',
    [schema, shard, projectId, to],
  );
}

/** The rows of the first waiting event are rejected. */
async function blame(
  { store, pool, group, logger }: Parts,
  version: ProjectionShard,
  { projectId, after, error }: { projectId: string; after: bigint; error: RowRejectedError },
): Promise<void> {
  const { events } = await store.readProjects([projectId], after, 1, group.unneeded);
  const [event] = events;
  if (!event) return;
  const failure = { ...placeOf(event, after), error: describeFailure(event, error) };
  await keepQuarantined(pool, subscriberOf(version), failure, null);
  logger.error(
    { group: group.name, projectionVersion: version.id, project: projectId, position: String(event.position), error },
    'project still quarantined',
  );
}
