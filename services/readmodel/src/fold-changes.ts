import type { Change, Row, Table, Value } from './changes.ts';

/** What remains to be done to one row. `set` and `add` never name the same column. */
export type RowChange =
  | { kind: 'insert'; row: Row }
  | { kind: 'patch'; key: Row; set: Row; add: Readonly<Record<string, number>> }
  | { kind: 'remove'; key: Row };

/** Changes of one table to be written in this order: of single rows, each row at most once, or of all rows that match. */
export type Step = { kind: 'rows'; rows: readonly RowChange[] } | { kind: 'matching'; change: MatchingChange };
export type MatchingChange = Exclude<Change, { kind: 'insert' }>;
export type Folded = { table: Table; steps: readonly Step[] };

/** Folds changes so that each row is written once; the outcome is that of applying them one by one. */
export function foldChanges(tables: readonly Table[], changes: readonly Change[]): readonly Folded[] {
  const byName = new Map(tables.map((table) => [table.name, createTableFold(table)]));
  for (const change of changes) {
    const fold = byName.get(change.table);
    if (!fold) throw new Error(`a projection names the unknown table ${change.table}`);
    fold.add(change);
  }
  return [...byName.values()].map((fold) => fold.finish()).filter(({ steps }) => steps.length > 0);
}

function createTableFold(table: Table) {
  const steps: Step[] = [];
  let rows = new Map<string, RowChange>();

  function closeRows(): void {
    if (rows.size > 0) steps.push({ kind: 'rows', rows: [...rows.values()] });
    rows = new Map();
  }

  return {
    add(change: Change): void {
      if (change.kind === 'insert') {
        const row = withDefaults(table, change.row);
        rows.set(keyText(table, row), { kind: 'insert', row });
      } else if (namesOneRow(table, change.where)) {
        const text = keyText(table, change.where);
        const merged = merge(rows.get(text), change);
        if (merged) rows.set(text, merged);
      } else {
        closeRows();
        steps.push({ kind: 'matching', change });
      }
    },
    finish(): Folded {
      closeRows();
      return { table, steps };
    },
  };
}

function merge(before: RowChange | undefined, change: MatchingChange): RowChange {
  if (change.kind === 'remove') return { kind: 'remove', key: change.where };
  if (before?.kind === 'remove') return before;
  if (change.kind === 'patch') return mergePatch(before, change.where, change.values);
  return mergeIncrement(before, change.where, change.by);
}

function mergePatch(before: Exclude<RowChange, { kind: 'remove' }> | undefined, key: Row, values: Row): RowChange {
  if (before?.kind === 'insert') return { kind: 'insert', row: { ...before.row, ...values } };
  const add = Object.fromEntries(Object.entries(before?.add ?? {}).filter(([column]) => !(column in values)));
  return { kind: 'patch', key, set: { ...before?.set, ...values }, add };
}

function mergeIncrement(
  before: Exclude<RowChange, { kind: 'remove' }> | undefined,
  key: Row,
  by: Readonly<Record<string, number>>,
): RowChange {
  const known = { ...(before?.kind === 'insert' ? before.row : before?.set) };
  const add = { ...(before?.kind === 'patch' ? before.add : {}) };
  for (const [column, amount] of Object.entries(by)) {
    if (column in known) known[column] = plus(known[column], amount);
    else add[column] = (add[column] ?? 0) + amount;
  }
  return before?.kind === 'insert' ? { kind: 'insert', row: known } : { kind: 'patch', key, set: known, add };
}

/** As in SQL: nothing plus something is nothing. */
export function plus(value: Value | undefined, amount: number): Value {
  if (value === null || value === undefined) return null;
  return typeof value === 'bigint' ? value + BigInt(amount) : Number(value) + amount;
}

const namesOneRow = ({ key }: Table, where: Row) =>
  Object.keys(where).length === key.length && key.every((column) => column in where);

const keyText = ({ key }: Table, row: Row) =>
  JSON.stringify(key.map((column) => (typeof row[column] === 'bigint' ? String(row[column]) : row[column])));

/** With the defaults of the columns that a projection leaves out. */
export function withDefaults(table: Table, given: Row): Row {
  const row: Record<string, Value> = {};
  for (const [name, column] of Object.entries(table.columns)) {
    const value = given[name];
    row[name] = value === undefined ? (column.default ?? null) : value;
  }
  for (const name of Object.keys(given)) {
    if (!(name in row)) throw new Error(`a projection names the unknown column ${table.name}.${name}`);
  }
  return row;
}
