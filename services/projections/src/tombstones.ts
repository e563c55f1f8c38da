import type { PoolClient } from '@gatebook/runtime/postgres';
import type { Change, Table, TableChange } from './changes.ts';
import type { ProjectionGroup } from './projection-group.ts';
import type { ProjectionVersion } from './projection-versions.ts';

/** Rows with this value in this column are deleted. */
export type Tombstone = { column: string; value: string };

/** The part of a batch that concerns tombstones. */
export type TombstoneChanges = {
  added: readonly Tombstone[];
  /** Of inserted rows. If one of these has a tombstone, there is a row to clear again. */
  inserted: readonly Tombstone[];
};

/** Separates changes of tables from tombstones. @throws Error if a projection names a column that is not declared */
export function splitChanges(
  { removableBy = [] }: ProjectionGroup,
  changes: readonly Change[],
): { ofTables: readonly TableChange[]; tombstones: TombstoneChanges } {
  const ofTables: TableChange[] = [];
  const added = new Map<string, Tombstone>();
  const inserted = new Map<string, Tombstone>();
  for (const change of changes) {
    if (change.kind === 'removeAll') {
      const { column, value } = change;
      if (!removableBy.includes(column)) throw new Error(`a projection removes all rows by the column ${column}`);
      added.set(`${column} ${value}`, { column, value });
      continue;
    }
    if (change.kind === 'erase') continue;
    ofTables.push(change);
    if (change.kind !== 'insert') continue;
    for (const column of removableBy) {
      const value = change.row[column];
      if (typeof value === 'string') inserted.set(`${column} ${value}`, { column, value });
    }
  }
  return { ofTables, tombstones: { added: [...added.values()], inserted: [...inserted.values()] } };
}

/**
 * Call before writing rows: a tombstone of an inserted row stays locked, so that it is not cleared before the row is
 * visible.
 */
export async function writeTombstones(
  tx: PoolClient,
  { schema }: Pick<ProjectionVersion, 'schema'>,
  { added, inserted }: TombstoneChanges,
  position: bigint,
): Promise<void> {
  const columnsOf = (tombstones: readonly Tombstone[]) => [
    tombstones.map(({ column }) => column),
    tombstones.map(({ value }) => value),
  ];
  const sent: Promise<unknown>[] = [];
  if (inserted.length > 0) {
    sent.push(
      tx.query({
        name: 'reopen-tombstones',
        text: `update readmodel.tombstones t set is_cleared = false from unnest($2::text[], $3::text[]) as i(name, value)
          where t.schema_name = $1 and t.column_name = i.name and t.value = i.value`,
        values: [schema, ...columnsOf(inserted)],
      }),
    );
  }
  if (added.length > 0) {
    sent.push(
      tx.query(
        `insert into readmodel.tombstones (schema_name, column_name, value, position)
         select $1, name, value, $4 from unnest($2::text[], $3::text[]) as a(name, value)
         on conflict (schema_name, column_name, value) do update set is_cleared = false`,
        [schema, ...columnsOf(added), position],
      ),
    );
  }
  await Promise.all(sent);
}

/** SQL for the rows of a table without those that a tombstone hides, to be followed by an alias. */
export function visibleRows(schema: string, { name, removedBy = [] }: Table): string {
  if (removedBy.length === 0) return `${schema}.${name}`;
  const conditions = removedBy.map((column) => isVisible(schema, column, `v.${column}`));
  return `(select v.* from ${schema}.${name} v where ${conditions.join(' and ')})`;
}

/** SQL condition: no tombstone hides rows with this `value` in `column`. */
export const isVisible = (schema: string, column: string, value: string) =>
  `not exists (select from readmodel.tombstones tombstone where tombstone.schema_name = '${schema}'
    and tombstone.column_name = '${column}' and tombstone.value = ${value}::text and not tombstone.is_cleared)`;

/** For this transaction, nothing else clears rows of the projection version or starts its checksums. */
export const lockTombstones = (tx: PoolClient, schema: string) =>
  tx.query('select pg_advisory_xact_lock(hashtext($1))', [`tombstones ${schema}`]);
