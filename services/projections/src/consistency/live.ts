import type { EventStore } from '@gatebook/eventlog/port';
import { pause } from '@gatebook/runtime/pause';
import { inTransaction, type Pool, type PoolClient } from '@gatebook/runtime/postgres';
import type { ProjectionGroup } from '../projection-group.ts';
import { listProjectionVersions, type ProjectionVersion, unlessFrozen } from '../projection-versions.ts';
import { type Checksum, isSame, minus, noRows, readChecksums, sumRows } from './checksum.ts';

/** No projection version can be compared with the log by this code. */
export class NotComparableError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'NotComparableError';
  }
}

/** @throws NotComparableError if no projection version is live, or the live one has another version */
export async function findLive(db: Pool | PoolClient, group: ProjectionGroup): Promise<ProjectionVersion> {
  const live = (await listProjectionVersions(db, group.name)).find(({ status }) => status === 'live');
  if (!live) throw new NotComparableError(`projection group ${group.name} has no live version`);
  if (live.version !== group.version) {
    throw new NotComparableError(
      `the live version of ${group.name} is ${live.version}, but this program has version ${group.version}`,
    );
  }
  return { ...live, tables: group.tables };
}

/**
 * Runs `work` while the live projection version stands still, with the positions of its shards: the projectors' next
 * batches wait for the locks on the checkpoints. Use it only for a few milliseconds. @throws NotComparableError if
 * another projection version was promoted
 */
export async function whileStanding<T>(
  pool: Pool,
  live: ProjectionVersion,
  work: (tx: PoolClient, positions: readonly bigint[]) => Promise<T>,
): Promise<T> {
  return inTransaction(pool, async (tx) => {
    await tx.query(unlessFrozen);
    const positions = await lockCheckpoints(tx, live);
    const { rows } = await tx.query<{ status: string }>(
      'select status from readmodel.projection_versions where id = $1',
      [live.id],
    );
    if (rows[0]?.status !== 'live') throw new NotComparableError(`${live.schema} is no longer live`);
    return work(tx, positions);
  });
}

/** Until the transaction ends, the checkpoints stand still. @returns them, by shard */
export async function lockCheckpoints(tx: PoolClient, { id }: Pick<ProjectionVersion, 'id'>): Promise<bigint[]> {
  const { rows } = await tx.query<{ position: string }>(
    'select position from readmodel.projection_shards where version_id = $1 order by shard for update',
    [id],
  );
  return rows.map(({ position }) => BigInt(position));
}

const pollMs = 50;
const patienceMs = 10_000;

/**
 * Waits until the live projection version contains everything that the log contains now. A process that destroyed a key
 * has appended the deletion before, so differences caused by a pending erasure are gone afterwards. @returns whether it
 * caught up
 */
export async function reachedHead(pool: Pool, store: EventStore, live: ProjectionVersion): Promise<boolean> {
  const head = await store.head();
  for (const until = performance.now() + patienceMs; ; ) {
    const now = (await listProjectionVersions(pool, live.groupName)).find(({ id }) => id === live.id);
    if (now && now.position >= head) return true;
    if (!now || now.stopped || performance.now() > until) return false;
    await pause(pollMs);
  }
}

export type ChecksumState = 'matches' | 'differs' | 'not kept';
export type ChecksumCheck = {
  table: string;
  state: ChecksumState;
  rows: bigint;
  /** The difference between the checksum of the rows and the stored checksum. */
  missing: Checksum | null;
};

/** Compares rows of some tables with their stored checksums, in one snapshot. @throws the signal's reason */
export async function checkChecksums(
  snapshot: PoolClient,
  { id, schema }: ProjectionVersion,
  tables: readonly string[],
  signal?: AbortSignal,
): Promise<ChecksumCheck[]> {
  const kept = await readChecksums(snapshot, id);
  const checks: ChecksumCheck[] = [];
  for (const table of tables) {
    signal?.throwIfAborted();
    const actual = await sumRows(snapshot, schema, table);
    const stored = kept && (kept.get(table) ?? noRows);
    if (!stored) checks.push({ table, state: 'not kept', rows: actual.rows, missing: null });
    else if (isSame(stored, actual)) checks.push({ table, state: 'matches', rows: actual.rows, missing: null });
    else {
      const missing = minus(actual, stored);
      checks.push({ table, state: 'differs', rows: actual.rows, missing });
    }
  }
  return checks;
}
