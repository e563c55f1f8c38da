import { inTransaction, type Pool, type PoolClient } from '@gatebook/runtime/postgres';
import type { Table } from '../changes.ts';
import { type ProjectionVersion, unlessFrozen } from '../projection-versions.ts';
import { inSnapshotTaken, openSnapshot } from '../snapshot.ts';
import { lockTombstones, visibleRows } from '../tombstones.ts';

/**
 * The checksum of a table: the number of its rows and the exact sum of a 64-bit hash of each row
 * (`hash_record_extended`). Addition has no order, so neither the order of writes nor the size of batches matters, and
 * deleting a row subtracts exactly what inserting it added.
 * It detects rows that were changed, deleted or inserted outside the projector, and misses one in 2^64 by chance. It
 * does not tell which row, does not see differences between values that Postgres treats as equal (`1` and `1.0` in
 * jsonb), and does not protect against attackers: an account that can write the tables can write the checksum too. Only
 * deriving the rows again shows the correct values (`verify.ts`, `sample.ts`). Batches that write to a damaged row
 * subtract the damaged hash and add the new one, so the damage stays visible in the sum until it is repaired.
 */
export type Checksum = { rows: bigint; sum: bigint };

export const noRows: Checksum = { rows: 0n, sum: 0n };

export const plus = (one: Checksum, other: Checksum): Checksum => ({
  rows: one.rows + other.rows,
  sum: one.sum + other.sum,
});
export const minus = (one: Checksum, other: Checksum): Checksum => ({
  rows: one.rows - other.rows,
  sum: one.sum - other.sum,
});
export const isSame = (one: Checksum, other: Checksum): boolean => one.rows === other.rows && one.sum === other.sum;

/** SQL for the summand of the row `alias`; null if there is no row. */
export const hashOf = (alias: string) => `hash_record_extended(${alias}, 0)`;

/**
 * The change of the checksum by a written row, from its hashes before and after; null if there was no row or is none.
 */
export const changeOf = (before: string | null, now: string | null): Checksum => ({
  rows: BigInt(now !== null) - BigInt(before !== null),
  sum: BigInt(now ?? 0) - BigInt(before ?? 0),
});

/** Numbers as text, as Postgres returns them. */
type ChecksumRow = { rows: string; sum: string };
const checksumOf = ({ rows, sum }: ChecksumRow): Checksum => ({ rows: BigInt(rows), sum: BigInt(sum) });

/** The checksum of the current rows, with those that a tombstone hides. */
export const sumRows = (db: Pool | PoolClient, schema: string, table: string): Promise<Checksum> =>
  sum(db, `${schema}.${table}`);

/** The checksum of the rows that no tombstone hides. */
export const sumVisibleRows = (db: Pool | PoolClient, schema: string, table: Table): Promise<Checksum> =>
  sum(db, visibleRows(schema, table));

async function sum(db: Pool | PoolClient, rowsOf: string): Promise<Checksum> {
  const { rows } = await db.query<ChecksumRow>(
    `select count(*) as rows, coalesce(sum(${hashOf('t')}), 0) as sum from ${rowsOf} t`,
  );
  return rows[0] ? checksumOf(rows[0]) : noRows;
}

/** The checksums that batches have maintained, by table; null while they are incomplete. */
export async function readChecksums(
  db: Pool | PoolClient,
  projectionVersionId: number,
): Promise<ReadonlyMap<string, Checksum> | null> {
  const { rows } = await db.query<ChecksumRow & { name: string; isComplete: boolean }>(
    `select table_name as name, sum(row_count) as rows, sum(hash_sum) as sum, bool_and(is_complete) as "isComplete"
     from readmodel.checksums where version_id = $1 group by table_name order by table_name`,
    [projectionVersionId],
  );
  return rows.length === 0 || rows.some(({ isComplete }) => !isComplete)
    ? null
    : new Map(rows.map((row) => [row.name, checksumOf(row)]));
}

/** Changes to add to the stored checksums. */
export type ChecksumChanges = Map<string, Checksum>;

/** Values for `addChecksums`. */
export const asValues = (changes: ChecksumChanges): readonly (readonly string[])[] => [
  [...changes.keys()],
  ...(['rows', 'sum'] as const).map((part) => [...changes.values()].map((change) => String(change[part]))),
];

/**
 * SQL: adds changes to the checksums of shard `$shard` of projection version `$id`. The changes are three columns,
 * `$first` and the next two.
 */
export const addChecksums = (id: number, shard: number, first: number) =>
  `update readmodel.checksums c set row_count = c.row_count + d.rows, hash_sum = c.hash_sum + d.sum
   from unnest($${first}::text[], $${first + 1}::bigint[], $${first + 2}::numeric[]) as d(name, rows, sum)
   where c.version_id = $${id} and c.shard = $${shard} and c.table_name = d.name`;

/** Changes that belong to no shard are added to those of the first, because only the sum of all counts. */
export const noShard = 0;

/**
 * From here on, batches maintain the checksums of a projection version. Its rows are summed once, with one pass per
 * table and without blocking batches: batches count from one point on, and the sum is taken in a snapshot of that
 * point.
 */
export async function startChecksums(pool: Pool, { id, schema, tables }: ProjectionVersion): Promise<void> {
  if (!(await canKeepChecksums(pool)) || (await readChecksums(pool, id)) !== null) return;
  const names = tables.map(({ name }) => name);
  const startKeeping = (snapshot: PoolClient) =>
    inTransaction(pool, async (tx) => {
      await tx.query(unlessFrozen);
      await lockTombstones(tx, schema);
      // Blocks batches until this transaction ends; afterwards they see that checksums are maintained.
      await tx.query(
        `update readmodel.projection_shards set has_checksums = true
         where (version_id, shard) in (
           select version_id, shard from readmodel.projection_shards where version_id = $1 order by shard for update)`,
        [id],
      );
      await tx.query('delete from readmodel.checksums where version_id = $1', [id]);
      const { rows } = await tx.query<{ since: string }>(
        `insert into readmodel.checksums (version_id, shard, table_name)
         select s.version_id, s.shard, name from readmodel.projection_shards s, unnest($2::text[]) name
         where s.version_id = $1 returning since`,
        [id, names],
      );
      await openSnapshot(snapshot);
      return rows[0]?.since;
    });
  const { sums, since } = await inSnapshotTaken(pool, startKeeping, async (snapshot, started) => {
    const found: ChecksumChanges = new Map();
    for (const name of names) found.set(name, await sumRows(snapshot, schema, name));
    return { sums: found, since: started };
  });
  // Unless another process has started over.
  await inTransaction(pool, async (tx) => {
    const added = `${addChecksums(1, 2, 3)} and c.since = $6`;
    await tx.query(added, [id, noShard, ...asValues(sums), since]);
    await tx.query('update readmodel.checksums set is_complete = true where version_id = $1 and since = $2', [
      id,
      since,
    ]);
  });
}

/**
 * Before version 18, Postgres does not return the old version of a written row. Then no checksums are kept, and all
 * other checks work.
 */
async function canKeepChecksums(pool: Pool): Promise<boolean> {
  const { rows } = await pool.query<{ version: number }>(
    "select current_setting('server_version_num')::int as version",
  );
  return (rows[0]?.version ?? 0) >= 180_000;
}
