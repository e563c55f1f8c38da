import type { EventStore } from '@gatebook/eventlog/port';
import { pause } from '@gatebook/runtime/pause';
import { inTransaction, type Pool, type PoolClient } from '@gatebook/runtime/postgres';
import type { Table } from './changes.ts';
import { readChecksums } from './consistency/checksum.ts';
import { newestConsistencyChecks } from './consistency/consistency-checks.ts';
import { checkChecksums } from './consistency/live.ts';
import { whileLevel } from './level.ts';
import type { ProjectionGroup } from './projection-group.ts';
import { listProjectionVersions, type ProjectionVersion, unlessFrozen } from './projection-versions.ts';
import { CheckpointMovedError } from './projector.ts';
import { inSnapshotTaken, openSnapshot } from './snapshot.ts';
import { lockTombstones } from './tombstones.ts';
import { writtenColumns } from './values.ts';

type Parts = { pool: Pool; store: EventStore; group: ProjectionGroup };

const levelPauseMs = 50;
const levelTimeoutMs = 10_000;

/**
 * Names of the tables whose rows the live projection version of a group has already: nothing that they depend on has
 * changed. None if its rows may be wrong or incomplete, or if another number of shards is wanted.
 */
export async function findCopyable(pool: Pool, group: ProjectionGroup): Promise<readonly string[]> {
  const live = (await listProjectionVersions(pool, group.name)).find(({ status }) => status === 'live');
  if (!live || live.shards.length !== (group.shards ?? 1)) return [];
  if (live.stopped || live.quarantine.waiting.size > 0) return [];
  if ((await readChecksums(pool, live.id)) === null || (await hasFailedChecks(pool, live))) return [];
  const known = new Map(live.tables.map(({ name, fingerprint }) => [name, fingerprint]));
  return group.tables
    .filter(({ name, fingerprint }) => fingerprint !== undefined && known.get(name) === fingerprint)
    .map(({ name }) => name);
}

/** Whether a consistency check found differences that nobody has repaired since. */
async function hasFailedChecks(pool: Pool, { schema }: ProjectionVersion): Promise<boolean> {
  const checks = (await newestConsistencyChecks(pool)).filter(({ projectionVersion }) => projectionVersion === schema);
  const repair = checks.findIndex(({ kind }) => kind === 'repair');
  const sinceRepair = repair === -1 ? checks : checks.slice(0, repair);
  return sinceRepair.some(({ differing, checksumsOff }) => differing > 0 || checksumsOff.length > 0);
}

/**
 * Completes a projection version that contains all tables but those to copy. Copies them at a moment at which the live
 * version is at the same position. If they cannot be copied any more, the build starts over with all tables.
 */
export async function copyTables(parts: Parts, version: ProjectionVersion, signal: AbortSignal): Promise<void> {
  const { pool, group } = parts;
  const copyable = await findCopyable(pool, { ...group, shards: version.shards.length });
  const isPossible = version.quarantine.waiting.size === 0 && version.toCopy.every((name) => copyable.includes(name));
  if (isPossible) {
    const live = await findLiveAtLeastAt(parts, version, signal);
    if (!live) return;
    const isCopied = await inSnapshotTaken(
      pool,
      (client) => whileLevel(parts, live, version, () => openSnapshot(client, 'read write')),
      (snapshot) => copyAll(snapshot, group, live, version),
    );
    if (isCopied) return;
  }
  await startOver(pool, version);
}

/** Waits until the live projection version has every event that the other one has. @returns null if interrupted */
async function findLiveAtLeastAt(
  { pool, group }: Parts,
  { shards }: ProjectionVersion,
  signal: AbortSignal,
): Promise<ProjectionVersion | null> {
  for (const until = performance.now() + levelTimeoutMs; !signal.aborted; ) {
    const live = (await listProjectionVersions(pool, group.name)).find(({ status }) => status === 'live');
    if (live && shards.every(({ position }, shard) => position <= (live.shards[shard]?.position ?? -1n))) return live;
    if (performance.now() > until) throw new Error(`the live projection version of ${group.name} does not advance`);
    await pause(levelPauseMs, signal);
  }
  return null;
}

/** @returns false, without having copied anything, if the live tables may be wrong or incomplete */
async function copyAll(
  snapshot: PoolClient,
  group: ProjectionGroup,
  { id: liveId }: ProjectionVersion,
  { id, schema }: ProjectionVersion,
): Promise<boolean> {
  await snapshot.query(unlessFrozen);
  const all = await listProjectionVersions(snapshot, group.name);
  const [live, version] = [liveId, id].map((wanted) => all.find((one) => one.id === wanted));
  if (!live || !version || live.status !== 'live' || !isLevel(live, version))
    throw new CheckpointMovedError({ schema });
  // Another process was faster.
  if (version.toCopy.length === 0) return true;
  if (live.quarantine.waiting.size > 0 || version.quarantine.waiting.size > 0) return false;
  const checks = await checkChecksums(snapshot, live, version.toCopy);
  if (checks.some(({ state }) => state !== 'matches')) return false;
  for (const table of group.tables) {
    if (version.toCopy.includes(table.name)) await copyRows(snapshot, table, { from: live.schema, to: schema });
  }
  // Also those of events that the build has not read. The build clears rows of all of them, as if it had.
  await snapshot.query(
    `insert into readmodel.tombstones (schema_name, column_name, value, position)
     select $2, column_name, value, position from readmodel.tombstones where schema_name = $1
     on conflict (schema_name, column_name, value) do nothing`,
    [live.schema, schema],
  );
  await markWhole(snapshot, id);
  return true;
}

const isLevel = (one: ProjectionVersion, other: ProjectionVersion) =>
  one.shards.every(({ position }, shard) => position === other.shards[shard]?.position);

async function copyRows(snapshot: PoolClient, table: Table, { from, to }: { from: string; to: string }): Promise<void> {
  const columns = writtenColumns(table).join(', ');
  await snapshot.query(`insert into ${to}.${table.name} (${columns}) select ${columns} from ${from}.${table.name}`);
}

/**
 * From now on, batches write all tables. Those of other processes fail, because they do not know that yet. @returns
 * false if another process was faster
 */
async function markWhole(tx: PoolClient, id: number): Promise<boolean> {
  const { rowCount } = await tx.query(
    `update readmodel.projection_versions set tables_to_copy = '{}' where id = $1 and tables_to_copy <> '{}'`,
    [id],
  );
  if (rowCount !== 1) return false;
  await tx.query(
    'update readmodel.projection_shards set quarantine_revision = quarantine_revision + 1 where version_id = $1',
    [id],
  );
  return true;
}

async function startOver(pool: Pool, { id, schema, tables }: ProjectionVersion): Promise<void> {
  await inTransaction(pool, async (tx) => {
    await tx.query(unlessFrozen);
    await lockTombstones(tx, schema);
    if (!(await markWhole(tx, id))) return;
    await tx.query(
      'update readmodel.projection_shards set position = 0, event_id = null, applied_position = 0 where version_id = $1',
      [id],
    );
    await tx.query('delete from readmodel.quarantines where subscriber = $1', [schema]);
    await tx.query('delete from readmodel.tombstones where schema_name = $1', [schema]);
    await tx.query(`truncate ${tables.map(({ name }) => `${schema}.${name}`).join(', ')} cascade`);
  });
}
