import { pause } from '@gatebook/runtime/pause';
import { inTransaction, type Pool, type PoolClient } from '@gatebook/runtime/postgres';
import type { Table } from './changes.ts';
import { addChecksums, asValues, type ChecksumChanges, noShard } from './consistency/checksum.ts';
import type { ProjectionGroup } from './projection-group.ts';
import { listProjectionVersions, type ProjectionVersion, unlessFrozen } from './projection-versions.ts';
import { lockTombstones, type Tombstone } from './tombstones.ts';

/** Takes about 10 ms, for which a batch may have to wait. */
const sliceRows = 500;
const sliceTombstones = 100;

type Target = Pick<ProjectionVersion, 'id' | 'schema' | 'tables'>;

/**
 * Deletes some rows that tombstones hide, in one short transaction that waits for no batch. @returns whether rows are
 * left
 */
export async function clearSlice(pool: Pool, { id, schema, tables }: Target, rows = sliceRows): Promise<boolean> {
  return inTransaction(pool, async (tx) => {
    await tx.query(`set local synchronous_commit = off; ${unlessFrozen}`);
    await lockTombstones(tx, schema);
    const { rows: tombstones } = await tx.query<Tombstone>(
      `select column_name as column, value from readmodel.tombstones
       where schema_name = $1 and not is_cleared and column_name = (
         select column_name from readmodel.tombstones where schema_name = $1 and not is_cleared limit 1)
       order by position limit ${sliceTombstones} for update skip locked`,
      [schema],
    );
    const [first] = tombstones;
    if (!first) return false;
    const values = tombstones.map(({ value }) => value);
    const affected = tables.filter(({ columns }) => first.column in columns);
    const checksums: ChecksumChanges = new Map();
    let left = rows;
    for (const table of affected) {
      if (left > 0)
        left -= await deleteRows(tx, { schema, table, column: first.column }, { values, limit: left, checksums });
    }
    if (left > 0 && !(await haveRows(tx, schema, affected, first.column, values))) {
      await tx.query(
        `update readmodel.tombstones set is_cleared = true
         where schema_name = $1 and column_name = $2 and value = any($3)`,
        [schema, first.column, values],
      );
    }
    await tx.query(
      `${addChecksums(1, 2, 3)} and (
         select has_checksums from readmodel.projection_shards where version_id = $1 and shard = $2)`,
      [id, noShard, ...asValues(checksums)],
    );
    return true;
  });
}

/** Deletes all rows that tombstones hide. */
export async function clearAll(pool: Pool, target: Target): Promise<void> {
  for (let isMore = true; isMore; ) isMore = await clearSlice(pool, target);
}

/** Rest after each slice, as a multiple of the time that the slice took: most of the database is for live batches. */
const restPerWork = 3;

/**
 * Deletes the rows that tombstones hide, slice by slice, in every projection version of the group that has its indexes.
 */
export async function clearTombstones(pool: Pool, group: ProjectionGroup, signal: AbortSignal): Promise<void> {
  for (const version of await listProjectionVersions(pool, group.name)) {
    if (!version.isReady) continue;
    const target = version.version === group.version ? { ...version, tables: group.tables } : version;
    for (let isMore = true; isMore && !signal.aborted; ) {
      const start = performance.now();
      isMore = await clearSlice(pool, target);
      await pause((performance.now() - start) * restPerWork, signal);
    }
  }
}

/** Skips rows that a batch is writing. Both would otherwise wait for each other. */
async function deleteRows(
  tx: PoolClient,
  { schema, table, column }: { schema: string; table: Table; column: string },
  { values, limit, checksums }: { values: readonly string[]; limit: number; checksums: ChecksumChanges },
): Promise<number> {
  const name = `${schema}.${table.name}`;
  const { rows } = await tx.query<{ rows: string; sum: string }>(
    `with hidden as (
       select ctid from ${name} where ${column} = any($1::${table.columns[column]?.type}[]) limit $2 for update skip locked
     ), deleted as (
       delete from ${name} t using hidden where t.ctid = hidden.ctid returning hash_record_extended(t, 0) as hash
     ) select count(*) as rows, coalesce(sum(hash), 0) as sum from deleted`,
    [values, limit],
  );
  const [gone = { rows: '0', sum: '0' }] = rows;
  if (gone.rows !== '0') checksums.set(table.name, { rows: -BigInt(gone.rows), sum: -BigInt(gone.sum) });
  return Number(gone.rows);
}

async function haveRows(
  tx: PoolClient,
  schema: string,
  tables: readonly Table[],
  column: string,
  values: readonly string[],
): Promise<boolean> {
  const exists = tables.map(
    ({ name, columns }) =>
      `exists (select from ${schema}.${name} where ${column} = any($1::text[]::${columns[column]?.type}[]))`,
  );
  const { rows } = await tx.query<{ have: boolean }>(`select ${exists.join(' or ') || 'false'} as have`, [values]);
  return rows[0]?.have ?? false;
}
