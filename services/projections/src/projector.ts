import type { Recorded } from '@gatebook/domain/event';
import { inTransaction, type Pool, type PoolClient } from '@gatebook/runtime/postgres';
import type { Change, Table } from './changes.ts';
import { addChecksums, asValues, type ChecksumChanges } from './consistency/checksum.ts';
import { type Folded, foldChanges } from './fold-changes.ts';
import type { ProjectionGroup } from './projection-group.ts';
import { type ProjectionVersion, unlessFrozen } from './projection-versions.ts';
import { writeChanges } from './write-changes.ts';

/** Announces the position of a projection version. The payload is `<projection version ID> <position> <status>`. */
export const projectedChannel = 'gatebook_projected';

/** The events cannot be applied: the projection stops here visibly, and nothing is skipped. */
export class ProjectionError extends Error {
  readonly position: bigint;

  constructor(event: Recorded, cause: unknown) {
    super(`event ${event.type} at position ${event.position} cannot be applied: ${messageOf(cause)}`, { cause });
    this.name = 'ProjectionError';
    this.position = event.position;
  }
}

/** Another projector has moved the checkpoint, so this batch is void. */
export class CheckpointMovedError extends Error {
  constructor({ schema }: Pick<ProjectionVersion, 'schema'>) {
    super(`the checkpoint of ${schema} was moved by another projector`);
    this.name = 'CheckpointMovedError';
  }
}

type Target = Pick<ProjectionVersion, 'id' | 'schema' | 'tables'>;

/**
 * Applies the events that follow position `from`, in log order. Rows and checkpoint commit together, once.
 * @returns the new position
 * @throws CheckpointMovedError, ProjectionError; any other error comes from the connection, and nothing was written
 */
export async function projectBatch(
  pool: Pool,
  group: ProjectionGroup,
  target: Target,
  from: bigint,
  events: readonly Recorded[],
): Promise<bigint> {
  const position = events.at(-1)?.position ?? from;
  if (events.length === 0) return from;
  const folded = fold(group, target, events);
  await inTransaction(pool, async (tx) => {
    // Read models can be rebuilt, so their commits need not reach the disk at once; a lost commit is lost together with
    // its checkpoint.
    const [, { hasChecksums }] = await Promise.all([
      tx.query(`set local synchronous_commit = off; ${unlessFrozen}`),
      moveCheckpoint(tx, target, from, position),
    ]);
    const checksums: ChecksumChanges | null = hasChecksums ? new Map() : null;
    await writeOrBlame(tx, target, folded, events, checksums);
    await finish(tx, target, position, checksums);
  });
  return position;
}

function fold(group: ProjectionGroup, { tables }: Target, events: readonly Recorded[]): readonly Folded[] {
  const changes: Change[] = [];
  for (const event of events) {
    try {
      changes.push(...group.changesFor(event));
    } catch (error) {
      throw new ProjectionError(event, error);
    }
  }
  return foldChanges(tables, fitting(group, tables, changes));
}

/** An older projection version that this code can read has all its columns, but may lack new tables. */
function fitting(group: ProjectionGroup, tables: readonly Table[], changes: readonly Change[]): readonly Change[] {
  if (tables === group.tables) return changes;
  const known = new Set(tables.map(({ name }) => name));
  return changes.filter(({ table }) => known.has(table));
}

async function moveCheckpoint(
  tx: PoolClient,
  target: Target,
  from: bigint,
  to: bigint,
): Promise<{ hasChecksums: boolean }> {
  const { rows } = await tx.query<{ hasChecksums: boolean }>({
    name: 'project-move-checkpoint',
    text: `update readmodel.projection_versions
      set position = $1, stopped_error = null, stopped_position = null, updated_at = now()
      where id = $2 and position = $3 returning has_checksums as "hasChecksums"`,
    values: [to, target.id, from],
  });
  const [moved] = rows;
  if (!moved) throw new CheckpointMovedError(target);
  return moved;
}

/**
 * Sends the checksums with the notification, so that they cost a batch no round trip. A promotion cannot come between
 * the checkpoint and the commit, so the announced status is that of the commit.
 */
async function finish(
  tx: PoolClient,
  { id }: Target,
  position: bigint,
  checksums: ChecksumChanges | null,
): Promise<void> {
  const notify = `select pg_notify($1, $2 || ' ' || status) from readmodel.projection_versions where id = $3`;
  const values = [projectedChannel, `${id} ${position}`, id];
  if (!checksums || checksums.size === 0) await tx.query(notify, values);
  else {
    const text = `with kept as (${addChecksums(3, 4)}) ${notify}`;
    await tx.query({ name: 'project-finish', text, values: [...values, ...asValues(checksums)] });
  }
}

/** A row that Postgres rejects is a fault of the events; a broken connection is not. */
async function writeOrBlame(
  tx: PoolClient,
  { schema }: Target,
  folded: readonly Folded[],
  events: readonly Recorded[],
  checksums: ChecksumChanges | null,
) {
  try {
    await writeChanges(tx, schema, folded, checksums);
  } catch (error) {
    const [first] = events;
    if (!isDataFault(error) || !first) throw error;
    throw new ProjectionError(first, error);
  }
}

/** SQLSTATE classes 21, 22, 23 (cardinality, data, integrity), 42 (names, types) and 54 (program limits). */
function isDataFault(error: unknown): boolean {
  return error instanceof Error && 'code' in error && /^(21|22|23|42|54)/.test(String(error.code));
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error));
