import { inTransaction, type Pool, type PoolClient } from '@gatebook/runtime/postgres';
import { type ProjectionVersion, unlessFrozen } from '../projection-versions.ts';
import { inSnapshotTaken, openSnapshot } from '../snapshot.ts';

/**
 * What the rows of a table add up to. Each row counts by a 64-bit hash of all its columns (`hash_record_extended`), and a checksum is how
 * many rows there are and the exact sum of their hashes: addition knows no order, so it does not matter in which order, or in how many
 * batches, rows were written; and a row that goes takes away just what it brought.
 *
 * It detects that rows were changed, deleted or inserted behind the projector's back: by chance it misses one in 2^64. It does not
 * tell which, it does not see what Postgres takes for equal (`1` and `1.0` in jsonb), and it is no encrypt: whoever may write the tables may
 * write the checksum too. What the log says is only found by deriving it anew (`verify.ts`, `sample.ts`). Batches that touch a damaged row
 * take away what they find and add what they write, so that the damage stays visible in the sum until it is repaired.
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

/** SQL: what the row that `alias` names adds to the sum; null where there is none. */
export const hashOf = (alias: string) => `hash_record_extended(${alias}, 0)`;

/** What a written row changes, from its hash before and its hash now; null where there was, or is, no row. */
export const changeOf = (before: string | null, now: string | null): Checksum => ({
  rows: BigInt(now !== null) - BigInt(before !== null),
  sum: BigInt(now ?? 0) - BigInt(before ?? 0),
});

/** As Postgres gives it: texts of numbers. */
type ChecksumRow = { rows: string; sum: string };
const checksumOf = ({ rows, sum }: ChecksumRow): Checksum => ({ rows: BigInt(rows), sum: BigInt(sum) });

/** The checksum of the rows as they are. */
export async function sumRows(db: Pool | PoolClient, schema: string, table: string): Promise<Checksum> {
  const { rows } = await db.query<ChecksumRow>(
    `select count(*) as rows, coalesce(sum(${hashOf('t')}), 0) as sum from ${schema}.${table} t`,
  );
  return rows[0] ? checksumOf(rows[0]) : noRows;
}

/** The checksums that the batches have kept, by table; null while they are not complete. */
export async function readChecksums(
  db: Pool | PoolClient,
  projectionVersionId: number,
): Promise<ReadonlyMap<string, Checksum> | null> {
  const { rows } = await db.query<ChecksumRow & { name: string; isComplete: boolean }>(
    `select table_name as name, row_count as rows, hash_sum as sum, is_complete as "isComplete"
     from readmodel.checksums where version_id = $1 order by table_name`,
    [projectionVersionId],
  );
  return rows.length === 0 || rows.some(({ isComplete }) => !isComplete)
    ? null
    : new Map(rows.map((row) => [row.name, checksumOf(row)]));
}

/** Changes of checksums, to be added to what is stored. */
export type ChecksumChanges = Map<string, Checksum>;

/** Values for `addChecksums`. */
export const asValues = (changes: ChecksumChanges): readonly (readonly string[])[] => [
  [...changes.keys()],
  ...(['rows', 'sum'] as const).map((part) => [...changes.values()].map((change) => String(change[part]))),
];

/** SQL: adds changes, whose three columns are `$first` and the next two, to the checksums of projection version `$id`. */
export const addChecksums = (id: number, first: number, more = '') =>
  `update readmodel.checksums c set row_count = c.row_count + d.rows, hash_sum = c.hash_sum + d.sum${more}
   from unnest($${first}::text[], $${first + 1}::bigint[], $${first + 2}::numeric[]) as d(name, rows, sum)
   where c.version_id = $${id} and c.table_name = d.name`;

/**
 * From here on batches keep the checksums of a projection version, if they do not yet. Its rows are summed up once, in one pass per table and
 * without anybody waiting: what batches write meanwhile is added from a point on, and what was there at that point is counted in a
 * snapshot of it.
 */
export async function startChecksums(pool: Pool, { id, schema, tables }: ProjectionVersion): Promise<void> {
  if (!(await canKeepChecksums(pool)) || (await readChecksums(pool, id)) !== null) return;
  const names = tables.map(({ name }) => name);
  const startKeeping = (snapshot: PoolClient) =>
    inTransaction(pool, async (tx) => {
      await tx.query(unlessFrozen);
      // Keeps batches out until the end of this transaction; they see then that checksums are kept.
      await tx.query('update readmodel.projection_versions set has_checksums = true where id = $1', [id]);
      await tx.query('delete from readmodel.checksums where version_id = $1', [id]);
      const { rows } = await tx.query<{ since: string }>(
        `insert into readmodel.checksums (version_id, table_name) select $1, unnest($2::text[]) returning since`,
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
  // Unless somebody else has begun anew.
  await pool.query(`${addChecksums(1, 2, ', is_complete = true')} and c.since = $5`, [id, ...asValues(sums), since]);
}

/** Postgres before 18 does not tell what a row was before it was written: there no checksums are kept, all other checks work. */
async function canKeepChecksums(pool: Pool): Promise<boolean> {
  const { rows } = await pool.query<{ version: number }>(
    "select current_setting('server_version_num')::int as version",
  );
  return (rows[0]?.version ?? 0) >= 180_000;
}
