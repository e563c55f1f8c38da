import { inTransaction, migrate, type Pool, type PoolClient } from '@gatebook/runtime/postgres';
import type { Table } from './changes.ts';
import type { ProjectionGroup } from './projection-group.ts';
import { createTables } from './projection-tables.ts';
import { mergeQuarantines, type Quarantine, toQuarantine, waitingJson } from './quarantine/quarantine.ts';

export type ProjectionVersionStatus = 'building' | 'live' | 'previous';
export type ProjectionVersion = {
  id: number;
  groupName: string;
  version: number;
  schema: string;
  status: ProjectionVersionStatus;
  tables: readonly Table[];
  /** Names of tables that are not built: they will be copied from the live version. */
  toCopy: readonly string[];
  /** By number. Each applies the events of the projects that hash to it. */
  shards: readonly ShardState[];
  /** Checkpoint of the shard that lags most. */
  position: bigint;
  /** ID of the event at `position`; null if it is unknown. */
  eventId: string | null;
  /** The quarantine of all shards. Its revision rises with each of theirs. */
  quarantine: Quarantine;
  /**
   * Of a shard, first of one that has lost its checkpoint; null if none has stopped. `isRetried`: projectors try again.
   * If not, see `isCheckpointLost`.
   */
  stopped: Stop | null;
  /** Requested by an operator: built and kept at the head, but only promoted by hand. */
  isStandby: boolean;
  /** It has caught up and has all its indexes, so it can be read. */
  isReady: boolean;
  /** It is being promoted or replaced, so some processes read it and others do not. */
  isPromoting: boolean;
  createdAt: string;
};

export type Stop = { position: bigint; error: string; isRetried: boolean };
export type ShardState = {
  /** Checkpoint: every event of the shard up to here is in the tables, except those of quarantined projects. */
  position: bigint;
  eventId: string | null;
  /** The position of its last event; events between here and `position` belong to other shards. */
  appliedPosition: bigint;
  quarantine: Quarantine;
  /** Whether batches maintain the checksums of the tables. */
  hasChecksums: boolean;
  stopped: Stop | null;
};

/** A projection version as one of its shards sees it: position, quarantine and stop are those of the shard. */
export type ProjectionShard = ProjectionVersion & Pick<ShardState, 'hasChecksums'> & { shard: number };

export function asShard(projectionVersion: ProjectionVersion, shard: number): ProjectionShard {
  const state = projectionVersion.shards[shard];
  if (!state) throw new Error(`${projectionVersion.schema} has no shard ${shard}`);
  const { position, eventId, quarantine, hasChecksums, stopped } = state;
  return { ...projectionVersion, shard, position, eventId, quarantine, hasChecksums, stopped };
}

export const allShards = (projectionVersion: ProjectionVersion): ProjectionShard[] =>
  projectionVersion.shards.map((_, shard) => asShard(projectionVersion, shard));

/** Every process learns of a promotion within this time. */
export const announcedMs = 300;
/** The log has lost the event at the checkpoint: only a new projection version can follow the log again. */
export const isCheckpointLost = (stopped: ProjectionVersion['stopped']): boolean =>
  stopped !== null && !stopped.isRetried;

/** Longer than any process takes to learn of a promotion. During this time, responses wait for both versions. */
export const promotionMs = 3000;

/** For transactions that other projectors wait for: ends the transaction if its process freezes. */
export const unlessFrozen = 'set local idle_in_transaction_session_timeout = 5000';

/**
 * Announces that another projection version is live, that one was added or dropped, or that rows were repaired. The
 * payload is the name of the group.
 */
export const projectionVersionsChannel = 'gatebook_projection_versions';

export async function migrateProjections(pool: Pool): Promise<void> {
  await migrate(pool, new URL('./migrations/', import.meta.url), 'readmodel');
}

type ProjectionVersionRow = {
  id: string;
  group_name: string;
  version: number;
  schema_name: string;
  status: ProjectionVersionStatus;
  tables: readonly Table[];
  tables_to_copy: readonly string[];
  is_standby: boolean;
  ready_at: Date | null;
  is_promoting: boolean;
  created_at: Date;
  states: readonly ShardRow[];
};
type ShardRow = {
  position: string;
  eventId: string | null;
  applied: string;
  revision: string;
  waiting: Readonly<Record<string, string>>;
  hasChecksums: boolean;
  stoppedError: string | null;
  stoppedPosition: string | null;
  isRetried: boolean;
};

/** All projection versions of a group, or of all groups, oldest first. */
export async function listProjectionVersions(
  db: Pool | PoolClient,
  groupName: string | null,
): Promise<ProjectionVersion[]> {
  const { rows } = await db.query<ProjectionVersionRow>(
    `select v.*, coalesce(v.promoting_at > now() - $2 * interval '1 ms', false) as is_promoting,
       (select jsonb_agg(jsonb_build_object('position', s.position::text, 'eventId', s.event_id,
           'applied', s.applied_position::text, 'revision', s.quarantine_revision::text,
           'waiting', ${waitingJson('v.schema_name', 's.shard')}, 'hasChecksums', s.has_checksums,
           'stoppedError', s.stopped_error, 'stoppedPosition', s.stopped_position::text, 'isRetried', s.is_retried)
         order by s.shard) from readmodel.projection_shards s where s.version_id = v.id) as states
     from readmodel.projection_versions v where $1::text is null or v.group_name = $1 order by v.id`,
    [groupName, promotionMs],
  );
  return rows.map((row) => {
    const shards = row.states.map(toShardState);
    const last = shards.reduce((one, other) => (other.position < one.position ? other : one));
    return {
      id: Number(row.id),
      groupName: row.group_name,
      version: row.version,
      schema: row.schema_name,
      status: row.status,
      tables: row.tables,
      toCopy: row.tables_to_copy,
      shards,
      position: last.position,
      eventId: last.eventId,
      quarantine: mergeQuarantines(shards.map(({ quarantine }) => quarantine)),
      stopped: stopOf(shards),
      isStandby: row.is_standby,
      isReady: row.ready_at !== null,
      isPromoting: row.is_promoting,
      createdAt: row.created_at.toISOString(),
    };
  });
}

function stopOf(shards: readonly ShardState[]): Stop | null {
  const stops = shards.flatMap(({ stopped }) => stopped ?? []);
  return stops.find(isCheckpointLost) ?? stops[0] ?? null;
}

const toShardState = (row: ShardRow): ShardState => ({
  position: BigInt(row.position),
  eventId: row.eventId,
  appliedPosition: BigInt(row.applied),
  quarantine: toQuarantine(row.revision, row.waiting),
  hasChecksums: row.hasChecksums,
  stopped:
    row.stoppedError === null
      ? null
      : { position: BigInt(row.stoppedPosition ?? 0), error: row.stoppedError, isRetried: row.isRetried },
});

type CreationOptions = { isStandby?: boolean; unlessMade?: boolean; toCopy?: readonly string[] };

/**
 * Creates a projection version at position 0: tables with their keys; other indexes are created when it has caught up.
 * With `unlessMade`, returns the one that another projector of the same version has created meanwhile. `toCopy`: see
 * `findCopyable`.
 */
export async function createProjectionVersion(
  pool: Pool,
  group: ProjectionGroup,
  { isStandby = false, unlessMade = false, toCopy = [] }: CreationOptions = {},
): Promise<ProjectionVersion> {
  const { shards = 1 } = group;
  return inTransaction(pool, async (tx) => {
    if (unlessMade) {
      await lockProjectionVersions(tx);
      const made = (await listProjectionVersions(tx, group.name)).find((projectionVersion) =>
        isBuiltOrRead(projectionVersion, group),
      );
      if (made) return made;
    }
    const { rows } = await tx.query<{ id: string }>(
      `with created as (
         insert into readmodel.projection_versions
           (group_name, version, schema_name, status, tables, is_standby, shards, tables_to_copy)
         values ($1, $2, 'unnamed', 'building', $3, $4, $5, $6) returning id
       ), shards as (
         insert into readmodel.projection_shards (version_id, shard) select id, generate_series(0, $5 - 1) from created
       ) select id from created`,
      [group.name, group.version, JSON.stringify(group.tables), isStandby, shards, toCopy],
    );
    const schema = `${group.name}_g${rows[0]?.id}`;
    await tx.query('update readmodel.projection_versions set schema_name = $1 where id = $2', [schema, rows[0]?.id]);
    await createTables(tx, schema, group.tables);
    await notifyChange(tx, group.name);
    const created = (await listProjectionVersions(tx, group.name)).at(-1);
    if (!created) throw new Error(`the new projection version of ${group.name} was not found`);
    return created;
  });
}

/** Whether projectors of this version and number of shards build it by themselves, or have built it. */
export const isBuiltOrRead = (one: ProjectionVersion, { version, shards = 1 }: ProjectionGroup) =>
  one.version === version && one.shards.length === shards && one.status !== 'previous' && !one.isStandby;

/** Records that it has caught up and has its indexes. */
export async function markReady(
  pool: Pool,
  { id, groupName }: Pick<ProjectionVersion, 'id' | 'groupName'>,
): Promise<void> {
  await inTransaction(pool, async (tx) => {
    await tx.query('update readmodel.projection_versions set ready_at = coalesce(ready_at, now()) where id = $1', [id]);
    await notifyChange(tx, groupName);
  });
}

/**
 * Until the transaction ends, checkpoints stand still and no other process promotes or drops. A process that freezes
 * loses the lock.
 */
export const lockProjectionVersions = (tx: PoolClient) =>
  tx.query(
    `${unlessFrozen}; lock table readmodel.projection_versions, readmodel.projection_shards in share row exclusive mode`,
  );

export const notifyChange = (tx: PoolClient, groupName: string) =>
  tx.query('select pg_notify($1, $2)', [projectionVersionsChannel, groupName]);
