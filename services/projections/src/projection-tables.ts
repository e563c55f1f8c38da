import type { Pool, PoolClient } from '@gatebook/runtime/postgres';
import type { Index, Table } from './changes.ts';
import type { ProjectionGroup } from './projection-group.ts';
import { countsTable, createCounts } from './row-counts.ts';

export async function createTables(tx: PoolClient, schema: string, tables: readonly Table[]): Promise<void> {
  await tx.query(`create schema ${schema}`);
  for (const table of tables) {
    const { name, columns, key, indexes = [], fillfactor = 100 } = table;
    const lines = Object.entries(columns).map(
      ([column, { type, isNullable, generatedAs }]) =>
        `${column} ${type}${isNullable ? '' : ' not null'}${generatedAs ? ` generated always as (${generatedAs}) stored` : ''}`,
    );
    await tx.query(
      `create table ${schema}.${name} (${lines.join(', ')}, primary key (${key.join(', ')})) with (fillfactor = ${fillfactor})`,
    );
    const actions = personalColumns(table).map((column) => `alter column ${column} set statistics 0`);
    if (actions.length > 0) await tx.query(`alter table ${schema}.${name} ${actions.join(', ')}`);
    for (const index of indexes.filter(({ servesWrites }) => servesWrites)) await createIndex(tx, schema, table, index);
  }
  // A comparison of one table with the log has no others.
  const made = new Set(tables.map(({ name }) => name));
  for (const table of tables) if (table.counts && made.has(table.counts.of)) await createCounts(tx, schema, table);
}

const personalColumns = ({ columns }: Table) => Object.keys(columns).filter((column) => columns[column]?.isPersonal);

async function createIndex(db: Pool | PoolClient, schema: string, table: Table, index: Index): Promise<void> {
  const { name, on, isUnique, where } = index;
  await db.query(
    `create ${isUnique ? 'unique ' : ''}index if not exists ${name} on ${schema}.${table.name} ${on}${where ? ` where ${where}` : ''}`,
  );
  if (!personalColumns(table).some((column) => on.includes(column))) return;
  const { rows: expressions } = await db.query<{ nth: number }>(
    `select nth::integer from pg_index, unnest(indkey) with ordinality as k (attribute, nth)
     where indexrelid = $1::regclass and attribute = 0`,
    [`${schema}.${name}`],
  );
  for (const { nth } of expressions) {
    await db.query(`alter index ${schema}.${name} alter column ${nth} set statistics 0`);
  }
}

/** Creates the secondary indexes that do not exist yet. */
export async function createIndexes(
  pool: Pool,
  { schema, tables }: { schema: string; tables: readonly Table[] },
): Promise<void> {
  if (tables.some(({ indexes = [] }) => indexes.some(({ on }) => on.includes('gin_trgm_ops')))) {
    await pool.query('create extension if not exists pg_trgm');
  }
  for (const table of tables) {
    for (const one of table.counts ? [table, countsTable(table.counts)] : [table]) {
      for (const index of one.indexes ?? []) await createIndex(pool, schema, one, index);
      await pool.query(`analyze ${schema}.${one.name}`);
    }
  }
}

/** Whether code with the tables `wanted` can read a projection version created with `present`. */
export function canRead(wanted: readonly Table[], present: readonly Table[]): boolean {
  const byName = new Map(present.map((table) => [table.name, table]));
  return wanted.every(({ name, columns, key, counts }) => {
    const table = byName.get(name);
    if (!table || table.key.join() !== key.join() || (counts && table.counts?.name !== counts.name)) return false;
    return Object.entries(columns).every(([column, { type }]) => table.columns[column]?.type === type);
  });
}

/**
 * The tables that batches write. An older live version keeps those that it was created with, and a new one lacks those
 * that it will copy.
 */
export function tablesOf(
  group: ProjectionGroup,
  { version, tables, toCopy }: { version: number; tables: readonly Table[]; toCopy: readonly string[] },
): readonly Table[] {
  if (version !== group.version) return tables;
  return toCopy.length === 0 ? group.tables : group.tables.filter(({ name }) => !toCopy.includes(name));
}
