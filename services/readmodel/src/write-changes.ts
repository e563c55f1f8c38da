import { createHash } from 'node:crypto';
import type { PoolClient } from '@gatebook/runtime/postgres';
import type { Row, Table } from './changes.ts';
import type { Folded, MatchingChange, RowChange } from './fold-changes.ts';
import { type ChecksumChanges, changeOf, hashOf, noRows, plus } from './proof/checksum.ts';

/** Runs one statement that writes to `t`. */
type Write = (statement: string, values: readonly unknown[]) => Promise<void>;

/**
 * Writes folded changes with a few statements per table. `tx` is inside a transaction. `checksums` gets what they do to the
 * tables' checksums; null: nobody keeps any.
 */
export async function writeChanges(
  tx: PoolClient,
  schema: string,
  changes: readonly Folded[],
  checksums: ChecksumChanges | null,
): Promise<void> {
  for (const { table, steps } of changes) {
    const name = `${schema}.${table.name}`;
    const write: Write = checksums
      ? (statement, values) => writeSummed(tx, statement, values, table.name, checksums)
      : async (statement, values) => void (await tx.query(prepared(statement, values)));
    for (const step of steps) {
      if (step.kind === 'rows') await writeRows(write, name, table, step.rows);
      else await writeMatching(write, name, table, step.change);
    }
  }
}

/** Postgres 18 tells of each row it writes what it was before and what it is now. */
async function writeSummed(
  tx: PoolClient,
  statement: string,
  values: readonly unknown[],
  table: string,
  checksums: ChecksumChanges,
): Promise<void> {
  const text = `${statement} returning ${hashOf('old')} as before, ${hashOf('new')} as now`;
  const { rows } = await tx.query<{ before: string | null; now: string | null }>(prepared(text, values));
  let change = checksums.get(table) ?? noRows;
  for (const { before, now } of rows) change = plus(change, changeOf(before, now));
  checksums.set(table, change);
}

/** A batch runs the statements of the one before: planning them takes longer than running them on a few rows. */
function prepared(text: string, values: readonly unknown[]) {
  return { name: createHash('sha1').update(text).digest('base64url'), text, values: [...values] };
}

async function writeRows(write: Write, name: string, table: Table, rows: readonly RowChange[]): Promise<void> {
  const inserts = rows.flatMap((change) => (change.kind === 'insert' ? [change.row] : []));
  const removes = rows.flatMap((change) => (change.kind === 'remove' ? [change.key] : []));
  if (removes.length > 0) {
    const keys = table.key.join(', ');
    await write(`delete from ${name} where (${keys}) in (select ${keys} from ${records(table, table.key)})`, [
      asJson(removes),
    ]);
  }
  if (inserts.length > 0) {
    const columns = Object.keys(table.columns);
    const others = columns.filter((column) => !table.key.includes(column));
    const replace = others.map((column) => `${column} = excluded.${column}`).join(', ');
    await write(
      `insert into ${name} (${columns.join(', ')}) select ${columns.join(', ')} from ${records(table, columns)}
       on conflict (${table.key.join(', ')}) do ${others.length > 0 ? `update set ${replace}` : 'nothing'}`,
      [asJson(inserts)],
    );
  }
  for (const { set, add, rows: patched } of patchesByColumns(rows)) {
    const assignments = [
      ...set.map((column) => `${column} = r.${column}`),
      ...add.map((column) => `${column} = t.${column} + r.${column}`),
    ];
    await write(
      `update ${name} t set ${assignments.join(', ')} from ${records(table, [...table.key, ...set, ...add])}
       where ${table.key.map((column) => `t.${column} = r.${column}`).join(' and ')}`,
      [asJson(patched)],
    );
  }
}

/** Patches of the same columns go into one statement. */
function patchesByColumns(rows: readonly RowChange[]) {
  const groups = new Map<string, { set: string[]; add: string[]; rows: Row[] }>();
  for (const change of rows) {
    if (change.kind !== 'patch') continue;
    const set = Object.keys(change.set).sort();
    const add = Object.keys(change.add).sort();
    if (set.length + add.length === 0) continue;
    const signature = `${set.join()} ${add.join()}`;
    const group = groups.get(signature) ?? { set, add, rows: [] };
    group.rows.push({ ...change.key, ...change.set, ...change.add });
    groups.set(signature, group);
  }
  return groups.values();
}

async function writeMatching(write: Write, name: string, table: Table, change: MatchingChange): Promise<void> {
  const values = change.kind === 'patch' ? change.values : change.kind === 'increment' ? change.by : {};
  const columns = Object.keys(values);
  const matched = Object.keys(change.where);
  if (change.kind !== 'remove' && columns.length === 0) return;
  const matches = matched.map((column) => `t.${column} = w.${column}`).join(' and ') || 'true';
  // Values and conditions may name the same column, so they come as two records.
  const from = `json_to_record($1::json) as w(${typed(table, matched)})`;
  if (change.kind === 'remove') {
    await write(`delete from ${name} t using ${from} where ${matches}`, [asJson(change.where)]);
    return;
  }
  const assignments = columns.map(
    (column) => `${column} = ${change.kind === 'increment' ? `t.${column} + ` : ''}v.${column}`,
  );
  await write(
    `update ${name} t set ${assignments.join(', ')}
     from ${from}, json_to_record($2::json) as v(${typed(table, columns)}) where ${matches}`,
    [asJson(change.where), asJson(values)],
  );
}

const records = (table: Table, columns: readonly string[]) =>
  `json_to_recordset($1::json) as r(${typed(table, columns)})`;

const typed = (table: Table, columns: readonly string[]) =>
  columns.map((column) => `${column} ${table.columns[column]?.type}`).join(', ') || 'nothing text';

const asJson = (value: unknown) =>
  JSON.stringify(value, (_, inner: unknown) => (typeof inner === 'bigint' ? String(inner) : inner));
