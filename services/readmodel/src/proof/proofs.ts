import type { Pool } from '@gatebook/runtime/postgres';
import type { RowDifference } from './rows.ts';

export type ProofKind = 'sample' | 'verify' | 'repair';

/** One time that rows were held against the log. */
export type Proof = {
  set: string;
  /** Schema of the generation. */
  generation: string;
  position: bigint;
  kind: ProofKind;
  /** ISO time. */
  checkedAt: string;
  tookMs: number;
  rowsChecked: number;
  /** Tables whose rows do not add up to their checksum. */
  checksumsOff: readonly string[];
  /** How many rows are not what the log says; of a repair: how many were mended. */
  differing: number;
  /** The first of them. */
  differences: readonly RowDifference[];
};

const keptPerKind = 100;
const namedAtMost = 100;

export async function recordProof(pool: Pool, proof: Proof): Promise<void> {
  await pool.query(
    `insert into readmodel.proofs
       (set_name, generation, position, kind, checked_at, took_ms, rows_checked, checksums_off, differing, differences)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
    [
      ...[proof.set, proof.generation, proof.position, proof.kind, proof.checkedAt, Math.round(proof.tookMs)],
      ...[proof.rowsChecked, proof.checksumsOff, proof.differing],
      JSON.stringify(proof.differences.slice(0, namedAtMost)),
    ],
  );
  await pool.query(
    `delete from readmodel.proofs where set_name = $1 and kind = $2 and id <=
       (select id from readmodel.proofs where set_name = $1 and kind = $2 order by id desc offset $3 limit 1)`,
    [proof.set, proof.kind, keptPerKind],
  );
}

type ProofRow = {
  set_name: string;
  generation: string;
  position: string;
  kind: ProofKind;
  checked_at: Date;
  took_ms: number;
  rows_checked: string;
  checksums_off: string[];
  differing: string;
  differences: RowDifference[];
};

/** The newest of each kind, of every set, newest first. */
export async function newestProofs(pool: Pool): Promise<Proof[]> {
  const { rows } = await pool.query<ProofRow>(
    `select * from (select distinct on (set_name, kind) * from readmodel.proofs order by set_name, kind, id desc) newest
     order by id desc`,
  );
  return rows.map((row) => ({
    set: row.set_name,
    generation: row.generation,
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
