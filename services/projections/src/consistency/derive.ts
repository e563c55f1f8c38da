import type { Recorded } from '@gatebook/domain/event';
import type { Change, Row, Table } from '../changes.ts';
import type { ProjectionGroup } from '../projection-group.ts';
import { hasValues, increased, patched, withDefaults } from '../values.ts';
import { keyOf } from './rows.ts';

/** Rows of a group by table and key, as the events applied so far make them. */
export type Derivation = {
  /** Applies events in log order. */
  apply(events: readonly Recorded[]): void;
  /** The rows that exist in a table. */
  rows(table: string): readonly Row[];
};

/**
 * Runs the projections on rows in memory instead of tables. Keeps only rows for which `isWanted` is true: each row can
 * be derived alone, because no change looks at another row.
 */
export function createDerivation(
  group: Pick<ProjectionGroup, 'tables' | 'changesFor'>,
  isWanted: (table: Table, row: Row) => boolean,
  tables: readonly Table[] = group.tables,
  changesFor = group.changesFor,
): Derivation {
  const kept = new Map(tables.map((table) => [table.name, { table, rows: new Map<string, Row>() }]));
  const tombstones = new Set<string>();

  const isRemoved = ({ removedBy = [] }: Table, row: Row) =>
    tombstones.size > 0 && removedBy.some((column) => tombstones.has(`${column} ${row[column]}`));

  function removeAll(column: string, value: string): void {
    tombstones.add(`${column} ${value}`);
    for (const { table, rows } of kept.values()) {
      for (const [name, row] of [...rows]) if (isRemoved(table, row)) rows.delete(name);
    }
  }

  function applyOne(change: Change): void {
    if (change.kind === 'removeAll') {
      removeAll(change.column, change.value);
      return;
    }
    const place = kept.get(change.table);
    if (!place || change.kind === 'erase') return;
    const { table, rows } = place;
    if (change.kind === 'insert') {
      if (isWanted(table, change.row) && !isRemoved(table, change.row)) {
        rows.set(keyOf(table, change.row), withDefaults(table, change.row));
      }
      return;
    }
    for (const [name, row] of matching(table, rows, change.where)) {
      if (change.kind === 'remove') rows.delete(name);
      else if (change.kind === 'patch') rows.set(name, patched(table, row, change.values));
      else rows.set(name, increased(row, change.by));
    }
  }

  return {
    apply: (events) => {
      for (const event of events) for (const change of changesFor(event)) applyOne(change);
    },
    rows: (table) => [...(kept.get(table)?.rows.values() ?? [])],
  };
}

function* matching(table: Table, rows: ReadonlyMap<string, Row>, where: Row): Generator<[string, Row]> {
  if (table.key.every((column) => column in where)) {
    const name = keyOf(table, where);
    const row = rows.get(name);
    if (row && hasValues(row, where)) yield [name, row];
    return;
  }
  for (const entry of [...rows]) if (hasValues(entry[1], where)) yield entry;
}
