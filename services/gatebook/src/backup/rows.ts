import { escapeIdentifier, type Pool, type PoolClient } from '@gatebook/runtime/postgres';
import type { BackupTable } from './tables.ts';

type Queryable = Pick<PoolClient, 'query'>;
type Column = { name: string; type: string; isKey: boolean; isIdentity: boolean };
export type TableShape = BackupTable & { columns: readonly Column[] };

/** `isEnd`: the table had no rows after those of the page. */
type Line = { line: string; key: string[]; isEnd: boolean };

const rowsPerPage = 1000;
const bytesPerPage = 4 * 1024 * 1024;

/** Values travel as Postgres prints them, so these settings must be the same at backup and restore. */
export const textSettings = { TimeZone: 'UTC', DateStyle: 'ISO', extra_float_digits: '1', bytea_output: 'hex' };

/** Reads the columns of a table from the catalog; generated ones are left out. */
async function describeTable(db: Queryable, table: BackupTable): Promise<TableShape> {
  const { rows } = await db.query<Column>(
    `select a.attname as name, format_type(a.atttypid, a.atttypmod) as type, a.attidentity <> '' as "isIdentity",
       coalesce(a.attnum = any (i.indkey), false) as "isKey"
     from pg_attribute a left join pg_index i on i.indrelid = a.attrelid and i.indisprimary
     where a.attrelid = $1::regclass and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
     order by array_position(i.indkey::int2[], a.attnum), a.attnum`,
    [table.name],
  );
  return { ...table, columns: rows };
}

/**
 * The rows of a table in the order of its key, in pages bounded by rows and bytes, each row as a JSON array of texts.
 * `upTo`: only those of events up to this position; null: all rows.
 */
export async function* readRows(db: Queryable, table: TableShape, upTo: string | null): AsyncGenerator<string[]> {
  const { name, columns, where, position } = table;
  const keys = columns.filter(({ isKey }) => isKey);
  const keyNames = keys.map((key) => escapeIdentifier(key.name)).join(', ');
  const list = columns.map((column) => escapeIdentifier(column.name));
  const conditions = [
    ...(where ? [`(${where})`] : []),
    ...(upTo === null || !position ? [] : [`${position} <= ${upTo}`]),
  ];
  let after: readonly string[] | null = null;
  for (;;) {
    const later = keys.map(({ type }, index) => `$${index + 1}::${type}`).join(', ');
    const filter: string = [...conditions, ...(after ? [`(${keyNames}) > (${later})`] : [])].join(' and ') || 'true';
    const result: { rows: Line[] } = await db.query<Line>(
      `select json_build_array(${list.map((column) => `${column}::text`).join(', ')})::text as line,
         array[${keys.map((key) => `${escapeIdentifier(key.name)}::text`).join(', ')}] as key,
         page_rows < ${rowsPerPage} and page_row = page_rows as "isEnd"
       from (
         select *, sum(page_bytes) over earlier as total_bytes, row_number() over earlier as page_row,
           count(*) over () as page_rows
         from (select *, ${list.map((column) => `coalesce(pg_column_size(${column}), 0)`).join(' + ')} as page_bytes
               from ${name} where ${filter} order by ${keyNames} limit ${rowsPerPage}) page
         window earlier as (order by ${keyNames} rows unbounded preceding)
       ) sized where total_bytes <= ${bytesPerPage} or page_row = 1 order by ${keyNames}`,
      after === null ? [] : [...after],
    );
    const last = result.rows.at(-1);
    if (!last) return;
    yield result.rows.map(({ line }) => line);
    // Rows that are added as fast as they are read would never end.
    if (last.isEnd) return;
    after = last.key;
  }
}

/** Inserts rows as `readRows` returned them. @throws Error if a column is unknown */
export async function insertRows(
  db: Queryable,
  table: TableShape,
  given: readonly string[],
  lines: readonly string[],
): Promise<void> {
  const byName = new Map(table.columns.map((column) => [column.name, column]));
  const columns = given.map((name) => {
    const column = byName.get(name);
    if (column) return column;
    throw new Error(`The backup has a column ${table.name}.${name} that this version does not know: update Gatebook.`);
  });
  const values = lines.map((line) => JSON.parse(line) as (string | null)[]);
  const names = columns.map(({ name }) => escapeIdentifier(name));
  await db.query(
    `insert into ${table.name} (${names.join(', ')})
     ${columns.some(({ isIdentity }) => isIdentity) ? 'overriding system value' : ''}
     select ${columns.map(({ type }, index) => `c${index}::${type}`).join(', ')}
     from unnest(${columns.map((_, index) => `$${index + 1}::text[]`).join(', ')})
       with ordinality as given (${columns.map((_, index) => `c${index}`).join(', ')}, row_in_page)
     order by row_in_page`,
    columns.map((_, index) => values.map((row) => row[index] ?? null)),
  );
}

/** Lets identity columns continue after the restored rows. */
export async function continueIdentities(db: Queryable, { name, columns }: TableShape): Promise<void> {
  for (const column of columns.filter(({ isIdentity }) => isIdentity)) {
    await db.query(
      `select setval(pg_get_serial_sequence($1, $2), coalesce(max(${escapeIdentifier(column.name)}), 1), count(*) > 0)
       from ${name}`,
      [name, column.name],
    );
  }
}

export async function describeTables(pool: Pool, tables: readonly BackupTable[]): Promise<TableShape[]> {
  return Promise.all(tables.map((table) => describeTable(pool, table)));
}
