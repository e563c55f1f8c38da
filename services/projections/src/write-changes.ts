import { hash } from 'node:crypto';
import type { PoolClient } from '@gatebook/runtime/postgres';
import type { ColumnType, Row, Table, Value } from './changes.ts';
import { type ChecksumChanges, changeOf, hashOf, noRows, plus } from './consistency/checksum.ts';
import type { Folded, RowChange } from './fold-changes.ts';
import type { MatchingStep } from './fold-matching.ts';
import { writtenColumns } from './values.ts';

/** Writes to `t`, an alias of the table. `$1` is a JSON array of rows, each an array of values; see `rowsOf`. */
type Statement = { text: string; rows: readonly (readonly Value[])[] };

/**
 * Writes folded changes with a few statements per table, pipelined. `tx` is inside a transaction. `checksums` collects
 * the changes of the tables' checksums; null if checksums are not kept. `onlyOf`: SQL condition for the rows `t` of a
 * table that may be changed. @throws the first statement's error
 */
export async function writeChanges(
  tx: PoolClient,
  schema: string,
  changes: readonly Folded[],
  checksums: ChecksumChanges | null,
  onlyOf: (table: string) => string | null = () => null,
): Promise<void> {
  const sent: Promise<unknown>[] = [];
  for (const { table, steps } of changes) {
    const only = onlyOf(table.name);
    for (const statement of statementsOf(
      `${schema}.${table.name}`,
      table,
      steps,
      only === null ? '' : ` and ${only}`,
    )) {
      sent.push(checksums ? sendSummed(tx, table, statement, checksums) : send(tx, statement));
    }
  }
  await Promise.all(sent);
}

/** Prepares statements by name, because batches repeat them and planning takes longer than writing a few rows. */
export function send<R extends object>(tx: PoolClient, { text, rows }: Statement) {
  return tx.query<R>({ name: hash('sha1', text, 'base64url'), text, values: [JSON.stringify(rows)] });
}

/** Uses `returning old` and `new`, which Postgres 18 introduced. */
async function sendSummed(
  tx: PoolClient,
  table: Table,
  { text, rows }: Statement,
  checksums: ChecksumChanges,
): Promise<void> {
  const summed = `${text} returning ${hashOf('old')} as before, ${hashOf('new')} as now`;
  const written = await send<{ before: string | null; now: string | null }>(tx, { text: summed, rows });
  let change = checksums.get(table.name) ?? noRows;
  for (const { before, now } of written.rows) change = plus(change, changeOf(before, now));
  checksums.set(table.name, change);
}

function* statementsOf(name: string, table: Table, steps: Folded['steps'], only: string): Generator<Statement> {
  for (const step of steps) {
    if (step.kind === 'matching') yield* matchingStatement(name, table, step, only);
    else yield* rowStatements(name, table, step.rows, only);
  }
}

function* rowStatements(name: string, table: Table, rows: readonly RowChange[], only: string): Generator<Statement> {
  const inserts = rows.flatMap((change) => (change.kind === 'insert' ? [change.row] : []));
  const removes = rows.flatMap((change) => (change.kind === 'remove' ? [change.key] : []));
  const byKey = `${table.key.map((column) => `t.${column} = r.${column}`).join(' and ')}${only}`;
  if (removes.length > 0) {
    yield {
      text: `delete from ${name} t using ${rowsOf(typed(table, table.key))} where ${byKey}`,
      rows: removes.map((key) => valuesOf(key, table.key)),
    };
  }
  if (inserts.length > 0) {
    const columns = writtenColumns(table);
    const others = columns.filter((column) => !table.key.includes(column));
    const replace = others.map((column) => `${column} = excluded.${column}`).join(', ');
    yield {
      text: `insert into ${name} as t (${columns.join(', ')}) select * from ${rowsOf(typed(table, columns))}
       on conflict (${table.key.join(', ')}) do ${others.length > 0 ? `update set ${replace}` : 'nothing'}`,
      rows: inserts.map((row) => valuesOf(row, columns)),
    };
  }
  for (const { set, add, rows: patched } of patchesByColumns(rows)) {
    const columns = [...table.key, ...set, ...add];
    const assignments = [
      ...set.map((column) => `${column} = ${patchedSql(table, column, `r.${column}`)}`),
      ...add.map((column) => `${column} = t.${column} + r.${column}`),
    ];
    yield {
      text: `update ${name} t set ${assignments.join(', ')} from ${rowsOf(typed(table, columns))} where ${byKey}`,
      rows: patched.map((row) => valuesOf(row, columns)),
    };
  }
}

/** One statement for all patches of the same columns. */
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

function* matchingStatement(
  name: string,
  table: Table,
  { change, items }: MatchingStep,
  only: string,
): Generator<Statement> {
  const [first] = items;
  const [matched, written] = [Object.keys(first?.where ?? {}), Object.keys(first?.values ?? {})];
  if (change !== 'remove' && written.length === 0) return;
  // Conditions and values can name the same column.
  const from = rowsOf([...typed(table, matched, 'is_'), ...typed(table, written, 'to_')]);
  const where = `${matched.map((column) => `t.${column} = r.is_${column}`).join(' and ') || 'true'}${only}`;
  const newValue = (column: string) =>
    change === 'increment' ? `t.${column} + r.to_${column}` : patchedSql(table, column, `r.to_${column}`);
  const assignments = written.map((column) => `${column} = ${newValue(column)}`);
  yield {
    text:
      change === 'remove'
        ? `delete from ${name} t using ${from} where ${where}`
        : `update ${name} t set ${assignments.join(', ')} from ${from} where ${where}`,
    rows: items.map((item) => [...valuesOf(item.where, matched), ...valuesOf(item.values, written)]),
  };
}

/** SQL: what a patch leaves in a column of `t` (see `patched` in values.ts). */
function patchedSql(table: Table, column: string, value: string): string {
  if (!table.columns[column]?.hasEntries) return value;
  return `(select coalesce(jsonb_object_agg(key, coalesce(o.value, '{}') || coalesce(n.value, '{}')), '{}')
    from jsonb_each(t.${column}) o full join jsonb_each(${value}) n using (key) where n.value is distinct from 'null')`;
}

type Typed = { name: string; type: ColumnType | undefined };

export const typed = (table: Table, columns: readonly string[], prefix = ''): Typed[] =>
  columns.map((column) => ({ name: `${prefix}${column}`, type: table.columns[column]?.type }));

/** SQL: the arrays in `$1` as rows `r` of these columns. Postgres reads arrays faster than objects. */
export function rowsOf(columns: readonly Typed[]): string {
  const values = columns.map(({ name, type }, at) =>
    type === 'jsonb' ? `nullif(e -> ${at}, 'null') as ${name}` : `(e ->> ${at})::${type} as ${name}`,
  );
  return `(select ${values.join(', ')} from jsonb_array_elements($1::jsonb) e) r`;
}

export const valuesOf = (row: Row, columns: readonly string[]): Value[] =>
  columns.map((column) => {
    const value = row[column] ?? null;
    return typeof value === 'bigint' ? String(value) : value;
  });
