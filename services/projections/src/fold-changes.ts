import type { Row, Table, TableChange, Value } from './changes.ts';
import { createMatchingFold, type MatchingChange, type MatchingStep, valuesOf } from './fold-matching.ts';
import { createValueIndex } from './value-index.ts';
import { canJoin, hasValues, increased, isComparable, joinPatches, patched, plus, withDefaults } from './values.ts';

/** What remains to be done to one row. `set` and `add` never name the same column. */
export type RowChange =
  | { kind: 'insert'; row: Row }
  | { kind: 'patch'; key: Row; set: Row; add: Readonly<Record<string, number>> }
  | { kind: 'remove'; key: Row };

/**
 * Changes of one table, to be written in this order. A step changes single rows, each at most once, or all matching
 * rows.
 */
export type Step = { kind: 'rows'; rows: readonly RowChange[] } | MatchingStep;
export type Folded = { table: Table; steps: readonly Step[] };

/** Folds changes so that each row is written once. The result is the same as applying them one by one. */
export function foldChanges(tables: readonly Table[], changes: readonly TableChange[]): readonly Folded[] {
  const byName = new Map(tables.map((table) => [table.name, createTableFold(table)]));
  for (const change of changes) {
    const fold = byName.get(change.table);
    if (!fold) throw new Error(`a projection changes the unknown table ${change.table}`);
    fold.add(change);
  }
  return [...byName.values()].map((fold) => fold.finish()).filter(({ steps }) => steps.length > 0);
}

function createTableFold(table: Table) {
  const steps: Step[] = [];
  let stretch = createStretch(table);
  return {
    add(change: TableChange): void {
      if (stretch.add(change)) return;
      steps.push(...stretch.steps());
      stretch = createStretch(table);
      stretch.add(change);
    },
    finish: (): Folded => ({ table, steps: [...steps, ...stretch.steps()] }),
  };
}

/**
 * Collects changes that can be written as changes of all matching rows first, followed by single rows. A change of
 * matching rows may arrive late and be written early: it is applied here to rows that this stretch inserts, and it must
 * not touch the patched columns of rows that this stretch patches.
 */
function createStretch(table: Table) {
  const rows = new Map<string, RowChange>();
  const matching = createMatchingFold(table);
  const patched = new Set<string>();
  const inserted = createValueIndex(() => insertsOf(rows));

  function put(name: string, change: RowChange): void {
    rows.set(name, change);
    if (change.kind === 'insert') inserted.add(name, change.row);
    if (change.kind !== 'patch') return;
    for (const column in change.set) patched.add(column);
    for (const column in change.add) patched.add(column);
  }

  const canBeEarly = (change: MatchingChange) =>
    rows.size === 0 ||
    (isComparable(table, change.where) &&
      ![...Object.keys(change.where), ...Object.keys(valuesOf(change))].some((column) => patched.has(column)) &&
      !table.key.some((column) => column in valuesOf(change)));

  function changeInserted(change: MatchingChange): void {
    if (rows.size === 0) return;
    for (const name of new Set(inserted.find(change.where))) {
      const before = rows.get(name);
      if (before?.kind === 'insert' && hasValues(before.row, change.where))
        put(name, applied(table, before.row, change));
    }
  }

  return {
    /** @returns false, without adding the change, if it must be written after the changes collected so far */
    add(change: TableChange): boolean {
      if (change.kind === 'insert') {
        const row = withDefaults(table, change.row);
        put(keyText(table, row), { kind: 'insert', row });
      } else if (namesOneRow(table, change.where)) {
        const name = keyText(table, change.where);
        const before = rows.get(name);
        if (before?.kind === 'patch' && change.kind === 'patch' && !canJoin(table, before.set, change.values))
          return false;
        const merged = merge(table, before, change);
        if (merged) put(name, merged);
      } else {
        if (!canBeEarly(change)) return false;
        changeInserted(change);
        matching.add(change);
      }
      return true;
    },
    steps: (): readonly Step[] =>
      rows.size > 0 ? [...matching.steps(), { kind: 'rows', rows: [...rows.values()] }] : matching.steps(),
  };
}

function* insertsOf(rows: ReadonlyMap<string, RowChange>): Generator<[string, Row]> {
  for (const [name, change] of rows) if (change.kind === 'insert') yield [name, change.row];
}

function applied(table: Table, row: Row, change: MatchingChange): RowChange {
  if (change.kind === 'remove') return { kind: 'remove', key: keyOf(table, row) };
  return {
    kind: 'insert',
    row: change.kind === 'patch' ? patched(table, row, change.values) : increased(row, change.by),
  };
}

function merge(table: Table, before: RowChange | undefined, change: MatchingChange): RowChange {
  if (change.kind === 'remove') return { kind: 'remove', key: change.where };
  if (before?.kind === 'remove') return before;
  if (change.kind === 'patch') return mergePatch(table, before, change.where, change.values);
  return mergeIncrement(before, change.where, change.by);
}

function mergePatch(
  table: Table,
  before: Exclude<RowChange, { kind: 'remove' }> | undefined,
  key: Row,
  values: Row,
): RowChange {
  if (before?.kind === 'insert') return { kind: 'insert', row: patched(table, before.row, values) };
  const add = Object.fromEntries(Object.entries(before?.add ?? {}).filter(([column]) => !(column in values)));
  return { kind: 'patch', key, set: joinPatches(table, before?.set ?? {}, values), add };
}

function mergeIncrement(
  before: Exclude<RowChange, { kind: 'remove' }> | undefined,
  key: Row,
  by: Readonly<Record<string, number>>,
): RowChange {
  if (before?.kind === 'insert') return { kind: 'insert', row: increased(before.row, by) };
  const set: Record<string, Value> = { ...before?.set };
  const add = { ...before?.add };
  for (const [column, amount] of Object.entries(by)) {
    if (column in set) set[column] = plus(set[column], amount);
    else add[column] = (add[column] ?? 0) + amount;
  }
  return { kind: 'patch', key, set, add };
}

const namesOneRow = ({ key }: Table, where: Row) =>
  Object.keys(where).length === key.length && key.every((column) => column in where);

const keyOf = ({ key }: Table, row: Row): Row => Object.fromEntries(key.map((column) => [column, row[column] ?? null]));

const keyText = ({ key }: Table, row: Row) =>
  JSON.stringify(key.map((column) => (typeof row[column] === 'bigint' ? String(row[column]) : row[column])));
