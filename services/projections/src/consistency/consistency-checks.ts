import type { Pool } from '@gatebook/runtime/postgres';
import type { RowDifference } from './rows.ts';

export type ConsistencyCheckKind = 'sample' | 'verify' | 'repair';

/** One comparison of rows with the log. */
export type ConsistencyCheck = {
  group: string;
  /** Schema of the projection version. */
  projectionVersion: string;
  position: bigint;
  kind: ConsistencyCheckKind;
  /** ISO time. */
  checkedAt: string;
  tookMs: number;
  rowsChecked: number;
  /** Tables whose rows do not match their checksum. */
  checksumsOff: readonly string[];
  /** Number of rows that differ from the log. For a repair: number of repaired rows. */
  differing: number;
  /** The first differing rows. */
  differences: readonly RowDifference[];
};

const keptPerKind = 100;
const namedAtMost = 100;

export async function recordConsistencyCheck(pool: Pool, check: ConsistencyCheck): Promise<void> {
  await pool.query(
    `insert into readmodel.consistency_checks
       (group_name, projection_version, position, kind, checked_at, took_ms, rows_checked, checksums_off, differing, differences)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
    [
      ...[check.group, check.projectionVersion, check.position, check.kind, check.checkedAt, Math.round(check.tookMs)],
      ...[check.rowsChecked, check.checksumsOff, check.differing],
      JSON.stringify(check.differences.slice(0, namedAtMost)),
    ],
  );
  await pool.query(
    `delete from readmodel.consistency_checks where group_name = $1 and kind = $2 and id <=
       (select id from readmodel.consistency_checks where group_name = $1 and kind = $2 order by id desc offset $3 limit 1)`,
    [check.group, check.kind, keptPerKind],
  );
}

type ConsistencyCheckRow = {
  group_name: string;
  projection_version: string;
  position: string;
  kind: ConsistencyCheckKind;
  checked_at: Date;
  took_ms: number;
  rows_checked: string;
  checksums_off: string[];
  differing: string;
  differences: RowDifference[];
};

/** The newest check of each kind for each group, newest first. */
export async function newestConsistencyChecks(pool: Pool): Promise<ConsistencyCheck[]> {
  const { rows } = await pool.query<ConsistencyCheckRow>(
    `select * from (select distinct on (group_name, kind) * from readmodel.consistency_checks order by group_name, kind, id desc) newest
     order by id desc`,
  );
  return rows.map((row) => ({
    group: row.group_name,
    projectionVersion: row.projection_version,
    position: BigInt(row.position),
    kind: row.kind,
    checkedAt: row.checked_at.toISOString(),
    tookMs: row.took_ms,
    rowsChecked: Number(row.rows_checked),
    checksumsOff: row.checksums_off,
    differing: Number(row.differing),
    differences: row.differences,
  }));
}
