import type { Recorded } from '@gatebook/domain/event';
import { inTransaction, type Pool, type PoolClient, sendTogether } from '@gatebook/runtime/postgres';
import type { Checkpoint } from './checkpoint.ts';
import { raiseCommitTimes } from './commit-times.ts';
import { addChecksums, asValues, type ChecksumChanges } from './consistency/checksum.ts';
import { concerns, type EventChanges, foldEvents, noChanges } from './fold-events.ts';
import type { ProjectionGroup } from './projection-group.ts';
import { type ProjectionShard, type ProjectionVersion, unlessFrozen } from './projection-versions.ts';
import {
  addQuarantined,
  describeFailure,
  type Failure,
  messageOf,
  placeOf,
  type Quarantine,
} from './quarantine/quarantine.ts';
import { shardOfColumn } from './shards.ts';
import { writeTombstones } from './tombstones.ts';
import { writeVersions } from './versions/write-versions.ts';
import { writeChanges } from './write-changes.ts';

/**
 * Announces the position of a shard. The payload is `<projection version ID> <position> <status> <quarantine revision>
 * <shard>`.
 */
export const projectedChannel = 'gatebook_projected';

/** Another projector has moved the checkpoint, or a project was released, so this batch is void. */
export class CheckpointMovedError extends Error {
  constructor({ schema }: Pick<ProjectionVersion, 'schema'>) {
    super(`the checkpoint of ${schema} was moved by another projector`);
    this.name = 'CheckpointMovedError';
  }
}

/** Postgres rejects the rows of these events. */
export class RowRejectedError extends Error {
  constructor(cause: unknown) {
    super(messageOf(cause), { cause });
    this.name = 'RowRejectedError';
  }
}

/** Batches maintain checksums, or do not, contrary to what the caller knew. */
class ChecksumsError extends Error {
  readonly hasChecksums: boolean;

  constructor(hasChecksums: boolean) {
    super(`checksums are ${hasChecksums ? '' : 'not '}maintained`);
    this.name = 'ChecksumsError';
    this.hasChecksums = hasChecksums;
  }
}

/** `shard`: absent if there is only one. `hasChecksums`: as far as is known. */
type Target = Pick<ProjectionVersion, 'id' | 'schema' | 'tables' | 'shards' | 'quarantine'> & {
  shard?: number;
  hasChecksums?: boolean;
};
export type Projected = Pick<ProjectionShard, 'position' | 'quarantine' | 'hasChecksums'> & {
  failures: readonly Failure[];
};

/**
 * Applies the events that follow position `from`, in log order, as far as they concern the shard. Rows and checkpoint
 * commit together, once. A project whose event cannot be read or applied is quarantined in the same transaction, and
 * its events from then on wait.
 * @throws CheckpointMovedError; any other error comes from the connection, and nothing was written
 */
export async function projectBatch(
  pool: Pool,
  group: ProjectionGroup,
  target: Target,
  from: bigint,
  events: readonly Recorded[],
): Promise<Projected> {
  try {
    const raised = await raiseCommitTimes(pool, group, target, events);
    return await writeBatch(pool, group, target, from, events, foldEvents(group, target, from, raised));
  } catch (error) {
    if (!(error instanceof RowRejectedError)) throw error;
    const [only] = events;
    if (only && events.length === 1) {
      const failure = { ...placeOf(only, from), error: describeFailure(only, error) };
      return writeBatch(pool, group, target, from, events, { ...noChanges, failures: [failure] });
    }
    // Halve the batch until the faulty event is alone.
    const middle = events.length >> 1;
    const first = await projectBatch(pool, group, target, from, events.slice(0, middle));
    const next = { ...target, quarantine: first.quarantine, hasChecksums: first.hasChecksums };
    const second = await projectBatch(pool, group, next, first.position, events.slice(middle));
    return { ...second, failures: [...first.failures, ...second.failures] };
  }
}

/** Read models can be rebuilt, so commits need not reach the disk at once: a lost one is lost with its checkpoint. */
const batchSettings = `set local synchronous_commit = off; ${unlessFrozen}`;

async function writeBatch(
  pool: Pool,
  group: ProjectionGroup,
  target: Target,
  from: bigint,
  events: readonly Recorded[],
  changes: EventChanges,
): Promise<Projected> {
  const { failures } = changes;
  const { schema, shard = 0, hasChecksums = false } = target;
  const position = events.at(-1)?.position;
  if (position === undefined) return { position: from, quarantine: target.quarantine, hasChecksums, failures: [] };
  const applied = events.findLast((event) => concerns(group, target, event))?.position ?? null;
  const to = { position, eventId: events.at(-1)?.id ?? null, applied, isQuarantining: failures.length > 0 };
  const work = async (tx: PoolClient) => {
    const [, checksums] = await sendTogether(tx, () =>
      Promise.all([
        moveCheckpoint(tx, target, from, to),
        writeRows(tx, group, target, changes, { position, hasChecksums }),
        failures.length > 0 ? addQuarantined(tx, { subscriber: schema, shard }, failures, null) : undefined,
      ]),
    );
    await writeVersionsOf(tx, group, target, changes, { position, checksums });
    return checksums;
  };
  try {
    await inTransaction(pool, work, {
      settings: batchSettings,
      finish: (tx, checksums) => announce(tx, target, position, checksums),
    });
  } catch (error) {
    if (!(error instanceof ChecksumsError)) throw error;
    return writeBatch(pool, group, { ...target, hasChecksums: error.hasChecksums }, from, events, changes);
  }
  return { position, quarantine: withFailures(target.quarantine, failures), hasChecksums, failures };
}

function withFailures(quarantine: Quarantine, failures: readonly Failure[]): Quarantine {
  if (failures.length === 0) return quarantine;
  const added = failures.map(({ projectId, after }): [string, bigint] => [projectId, after]);
  return { revision: quarantine.revision + 1n, waiting: new Map([...quarantine.waiting, ...added]) };
}

async function moveCheckpoint(
  tx: PoolClient,
  target: Target,
  from: bigint,
  to: Checkpoint & { applied: bigint | null; isQuarantining: boolean },
): Promise<void> {
  const { rows } = await tx.query<{ hasChecksums: boolean }>({
    name: 'project-move-checkpoint',
    text: `update readmodel.projection_shards
      set position = $1, event_id = $4, applied_position = coalesce($7, applied_position), stopped_error = null,
        stopped_position = null, updated_at = now(), quarantine_revision = quarantine_revision + $6
      where version_id = $2 and shard = $8 and position = $3 and quarantine_revision = $5
      returning has_checksums as "hasChecksums"`,
    values: [
      ...[to.position, target.id, from, to.eventId, target.quarantine.revision],
      ...[to.isQuarantining ? 1 : 0, to.applied, target.shard ?? 0],
    ],
  });
  const [moved] = rows;
  if (!moved) throw new CheckpointMovedError(target);
  if (moved.hasChecksums !== (target.hasChecksums ?? false)) throw new ChecksumsError(moved.hasChecksums);
}

/**
 * Writes rows in a transaction that has locked the checkpoint. @returns the changes of checksums, for `announce`
 * @throws RowRejectedError
 */
export async function writeRows(
  tx: PoolClient,
  group: ProjectionGroup,
  target: Omit<Target, 'quarantine'>,
  { folded, tombstones }: Pick<EventChanges, 'folded' | 'tombstones'>,
  { position, hasChecksums }: { position: bigint; hasChecksums: boolean },
): Promise<ChecksumChanges | null> {
  const checksums: ChecksumChanges | null = hasChecksums ? new Map() : null;
  try {
    await Promise.all([
      writeTombstones(tx, target, tombstones, position),
      writeChanges(tx, target.schema, folded, checksums, (table) => ownRows(group, target, table)),
    ]);
  } catch (error) {
    throw isDataFault(error) ? new RowRejectedError(error) : error;
  }
  return checksums;
}

/**
 * Writes the versions of rows, which it reads first: only once the checkpoint is known to be locked. Adds to
 * `checksums`. @throws RowRejectedError
 */
export async function writeVersionsOf(
  tx: PoolClient,
  group: ProjectionGroup,
  target: Omit<Target, 'quarantine'>,
  { applied }: Pick<EventChanges, 'applied'>,
  { position, checksums }: { position: bigint; checksums: ChecksumChanges | null },
): Promise<void> {
  if (applied.length === 0) return;
  const onlyOf = (table: string) => ownRows(group, target, table);
  try {
    await writeVersions(tx, target, applied, { checksums, onlyOf, position });
  } catch (error) {
    throw isDataFault(error) ? new RowRejectedError(error) : error;
  }
}

/** SQL condition for rows `t` of the shard, which a change must not go beyond; null if it cannot. */
function ownRows({ shared }: ProjectionGroup, { shards, shard = 0 }: Pick<Target, 'shards' | 'shard'>, table: string) {
  if (shards.length === 1 || !shared?.tables.includes(table)) return null;
  return `${shardOfColumn('t.project_id', shards.length)} = ${shard}`;
}

/**
 * Announces the position, and saves the checksums in the same statement. A promotion cannot come between the checkpoint
 * and the commit, so the announced status is that of the commit.
 */
export async function announce(
  tx: PoolClient,
  { id, shard = 0 }: Pick<Target, 'id' | 'shard'>,
  position: bigint,
  checksums: ChecksumChanges | null,
): Promise<void> {
  const notify = `select pg_notify($1, $2 || ' ' || v.status || ' ' || s.quarantine_revision || ' ' || s.shard)
    from readmodel.projection_versions v join readmodel.projection_shards s on s.version_id = v.id
    where v.id = $3 and s.shard = $4`;
  const values = [projectedChannel, `${id} ${position}`, id, shard];
  if (!checksums || checksums.size === 0) await tx.query({ name: 'project-announce', text: notify, values });
  else {
    const text = `with kept as (${addChecksums(3, 4, 5)}) ${notify}`;
    await tx.query({ name: 'project-finish', text, values: [...values, ...asValues(checksums)] });
  }
}

/**
 * SQLSTATE classes 21, 22, 23 (cardinality, data, integrity), 42 (names, types) and 54 (program limits), but not a
 * missing privilege (42501), which all projects lack.
 */
function isDataFault(error: unknown): boolean {
  return error instanceof Error && 'code' in error && /^(21|22|23|42(?!501)|54)/.test(String(error.code));
}
