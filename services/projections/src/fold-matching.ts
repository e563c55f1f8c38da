import type { Row, Table, TableChange, Value } from './changes.ts';
import { canJoin, isComparable, joinPatches, plus } from './values.ts';

/** A change of all matching rows. */
export type MatchingChange = Exclude<TableChange, { kind: 'insert' }>;

/** Changes of the same columns that do not affect each other, so one statement writes them all. */
export type MatchingStep = { kind: 'matching'; change: MatchingChange['kind']; items: readonly MatchingItem[] };
/** `values`: what a patch sets or an increment adds; empty for a removal. */
export type MatchingItem = { where: Row; values: Row };

/** Folds changes of rows that are already in a table. The result is the same as applying them one by one. */
export function createMatchingFold(table: Table) {
  const groups: { shape: string; kind: MatchingChange['kind']; items: Map<string, MatchingItem> }[] = [];
  return {
    add(change: MatchingChange): void {
      const { kind, where } = change;
      if (Object.values(where).includes(null)) return;
      const values = valuesOf(change);
      const shape = shapeOf(kind, where, values);
      const name = JSON.stringify(Object.values(where).map(String));
      const last = groups.at(-1);
      const before = last?.items.get(name);
      const canFollow = kind !== 'patch' || !before || canJoin(table, before.values, values);
      if (last?.shape === shape && canFollow && isIndependent(table, where, values)) {
        last.items.set(
          name,
          before ? { where, values: inTurn(table, kind, where, before.values, values) } : { where, values },
        );
      } else groups.push({ shape, kind, items: new Map([[name, { where, values }]]) });
    },
    steps: (): readonly MatchingStep[] =>
      groups.map(({ kind, items }) => ({ kind: 'matching', change: kind, items: [...items.values()] })),
  };
}

export function valuesOf(change: MatchingChange): Row {
  if (change.kind === 'patch') return change.values;
  return change.kind === 'increment' ? change.by : {};
}

const shapeOf = (kind: string, where: Row, values: Row) =>
  JSON.stringify([kind, Object.keys(where), Object.entries(values).map(([column, value]) => [column, value === null])]);

/** The values written by such a change match no other change of the same shape, so their order does not matter. */
function isIndependent(table: Table, where: Row, values: Row): boolean {
  const both = Object.keys(values).filter((column) => column in where);
  return isComparable(table, where) && (both.length === 0 || both.some((column) => values[column] === null));
}

/**
 * Combines two changes of the same rows. If the first changes a column that rows are matched by, nothing is left for
 * the second.
 */
function inTurn(table: Table, kind: MatchingChange['kind'], where: Row, before: Row, values: Row): Row {
  if (Object.keys(values).some((column) => column in where)) return before;
  if (kind === 'patch') return joinPatches(table, before, values);
  const sums = Object.entries(values).map(([column, more]): [string, Value] => [
    column,
    plus(before[column], Number(more)),
  ]);
  return Object.fromEntries(sums);
}
