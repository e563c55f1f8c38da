import type { Change, Row, Table } from '../changes.ts';
import type { RowChange, Step } from '../fold-changes.ts';
import type { MatchingItem } from '../fold-matching.ts';
import { createValueIndex } from '../value-index.ts';
import { hasValues, increased, isComparable, patched, withDefaults } from '../values.ts';
import { forever } from './versioned-table.ts';

/** A change of rows of a versioned table. `at`: the position from which its versions are valid. */
export type VersionChange = { at: bigint; change: Exclude<Change, { kind: 'removeAll' }> };
/** A version that is current in the table, valid from the position `from` on. */
export type CurrentVersion = { row: Row; from: bigint };

/** The table whose rows have versions. */
export function logicalTable({ name, versionsOf, columns, key }: Table): Table {
  return { name, ...(versionsOf ?? { columns, key }) };
}

/** Columns and values by which the current rows that changes may concern are found. */
export function wantedRows(table: Table, changes: readonly VersionChange[]): ReadonlyMap<string, readonly Row[]> {
  const { key } = logicalTable(table);
  const wanted = new Map<string, Map<string, Row>>();
  for (const { change } of changes) {
    if (change.kind === 'erase') continue;
    const where = change.kind === 'insert' ? change.row : change.where;
    const columns = key.every((column) => column in where) ? key : Object.keys(where);
    const values = Object.fromEntries(columns.map((column) => [column, where[column] ?? null]));
    const ofColumns = wanted.get(columns.join()) ?? new Map<string, Row>();
    wanted.set(columns.join(), ofColumns.set(nameOf(columns, values), values));
  }
  return new Map([...wanted].map(([columns, rows]) => [columns, [...rows.values()]]));
}

/**
 * What the changes, in log order, do to the versions of a table. `current`: the current rows that they may concern.
 * The result depends only on the changes, not on how they are divided into batches.
 */
export function foldVersions(
  table: Table,
  current: readonly CurrentVersion[],
  changes: readonly VersionChange[],
): readonly Step[] {
  const versions = createVersions(table, current);
  for (const { at, change } of changes) {
    if (change.kind === 'insert') versions.put(withDefaults(logicalTable(table), change.row), at);
    else if (change.kind === 'erase') versions.erase(change.where, change.values);
    else if (change.kind === 'remove') for (const { row } of versions.find(change.where)) versions.end(row, at);
    else if (change.kind === 'increment')
      for (const { row } of versions.find(change.where)) versions.put(increased(row, change.by), at);
    else
      for (const { row } of versions.find(change.where))
        versions.put(patched(logicalTable(table), row, change.values), at);
  }
  return versions.steps();
}

const nameOf = (columns: readonly string[], row: Row) => JSON.stringify(columns.map((column) => String(row[column])));

type Open = CurrentVersion & { isStored: boolean };

function createVersions(table: Table, current: readonly CurrentVersion[]) {
  const { key } = logicalTable(table);
  const open = new Map<string, Open>(
    current.map(({ row, from }) => [nameOf(key, row), { row, from, isStored: true }] as const),
  );
  const stored = new Set(current.map(({ row, from }) => versionOf(row, from)));
  const openRows = createValueIndex(() => [...open].map(([name, { row }]) => [name, row] as const));
  const written = new Map<string, RowChange>();
  const writtenRows = createValueIndex(() =>
    [...written].flatMap(([name, change]) => (change.kind === 'insert' ? [[name, change.row] as const] : [])),
  );
  const erasures = new Map<string, MatchingItem[]>();

  function versionOf(row: Row, from: bigint): string {
    return `${nameOf(key, row)} ${from}`;
  }
  const keyOf = (row: Row, from: bigint): Row => ({
    ...Object.fromEntries(key.map((column) => [column, row[column] ?? null])),
    from_position: from,
  });

  function write({ row, from }: CurrentVersion, until: bigint): void {
    const version = { ...row, from_position: from, until_position: until };
    written.set(versionOf(row, from), { kind: 'insert', row: version });
    writtenRows.add(versionOf(row, from), version);
  }

  function end(row: Row, at: bigint): void {
    const name = nameOf(key, row);
    const last = open.get(name);
    if (!last) return;
    open.delete(name);
    const version = versionOf(row, last.from);
    const named = keyOf(row, last.from);
    if (last.from < at && last.isStored) {
      written.set(version, { kind: 'patch', key: named, set: { until_position: at }, add: {} });
    } else if (last.from < at) write(last, at);
    else if (stored.has(version)) written.set(version, { kind: 'remove', key: named });
    else written.delete(version);
  }

  return {
    end,
    /** The row as it is from the position `at` on. */
    put(row: Row, at: bigint): void {
      // An action of another project can have changed the row after this action began. Versions must not overlap.
      const last = open.get(nameOf(key, row))?.from ?? at;
      const from = last > at ? last : at;
      end(row, from);
      const next = { row, from, isStored: false };
      open.set(nameOf(key, row), next);
      openRows.add(nameOf(key, row), row);
      write(next, forever);
    },
    /** Current rows with these values. */
    find(where: Row): readonly Open[] {
      if (!isComparable(table, where)) throw new Error(`rows of ${table.name} cannot be found by these columns`);
      const isKey = key.every((column) => column in where);
      const names = isKey ? [nameOf(key, where)] : new Set(openRows.find(where));
      return [...names].flatMap((name) => {
        const found = open.get(name);
        return found && hasValues(found.row, where) ? [found] : [];
      });
    },
    /** Sets values in all versions of matching rows. */
    erase(where: Row, values: Row): void {
      for (const name of new Set(writtenRows.find(where))) {
        const change = written.get(name);
        if (change?.kind !== 'insert' || !hasValues(change.row, where)) continue;
        written.set(name, { kind: 'insert', row: { ...change.row, ...values } });
      }
      for (const name of new Set(openRows.find(where))) {
        const found = open.get(name);
        if (found && hasValues(found.row, where)) found.row = { ...found.row, ...values };
      }
      const shape = JSON.stringify([Object.keys(where), Object.keys(values)]);
      erasures.set(shape, [...(erasures.get(shape) ?? []), { where, values }]);
    },
    /** Erasures of stored versions come first: later versions are written as they are now. */
    steps: (): readonly Step[] => [
      ...[...erasures.values()].map((items) => ({ kind: 'matching', change: 'patch', items }) as const),
      ...(written.size > 0 ? [{ kind: 'rows', rows: [...written.values()] } as const] : []),
    ],
  };
}
