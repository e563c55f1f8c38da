import type { Pool, PoolClient } from '@gatebook/runtime/postgres';
import type { Row, Table } from '../changes.ts';
import { visibleRows } from '../tombstones.ts';
import { writtenColumns } from '../values.ts';

/** Columns that projections write, as Postgres writes them, in the order of the table. */
export type RowTexts = readonly (string | null)[];

/** A difference between a row and the log: the row is missing, surplus, or differs in these columns. */
export type RowDifference = {
  table: string;
  /** Key columns as text. */
  key: Readonly<Record<string, string>>;
  kind: 'missing' | 'surplus' | 'changed';
  /** The columns that differ; empty for missing and surplus rows. */
  columns: readonly string[];
};

/** Identifies a row in maps by its key, whatever the types of its values. */
export const keyOf = ({ key }: Table, row: Readonly<Record<string, unknown>>): string =>
  JSON.stringify(key.map((column) => String(row[column])));

export const keyColumns = ({ key }: Table, name: string): Readonly<Record<string, string>> => {
  const values: string[] = JSON.parse(name);
  return Object.fromEntries(key.map((column, at) => [column, String(values[at])]));
};

/** A key as typed on a command line: the values of its columns, separated by commas. */
export const keyText = (key: Readonly<Record<string, string>>): string => Object.values(key).join(',');

/** Describes a difference without the contents of the row. */
export function describeDifference({ table, key, kind, columns }: RowDifference): string {
  const row = `${table} ${keyText(key)}`;
  if (kind === 'missing') return `${row}: missing from the table`;
  if (kind === 'surplus') return `${row}: not in the log`;
  return `${row}: ${columns.join(', ')} ${columns.length === 1 ? 'differs' : 'differ'}`;
}

const texts = (table: Table) =>
  `array[${writtenColumns(table)
    .map((column) => `t.${column}::text`)
    .join(', ')}] as texts`;

const typed = (table: Table, columns: readonly string[]) =>
  columns.map((column) => `${column} ${table.columns[column]?.type}`).join(', ');

const asJson = (value: unknown) =>
  JSON.stringify(value, (_, inner: unknown) => (typeof inner === 'bigint' ? String(inner) : inner));

/** Reads the visible rows with these keys, by `keyOf`. Settings of `db` decide how times are written. */
export async function readRows(
  db: Pool | PoolClient,
  schema: string,
  table: Table,
  keys: readonly Readonly<Record<string, unknown>>[],
): Promise<Map<string, RowTexts>> {
  const matches = table.key.map((column) => `t.${column} = k.${column}`).join(' and ');
  const { rows } = await db.query<{ texts: string[] }>(
    `select ${texts(table)} from ${visibleRows(schema, table)} t
     join (select distinct * from json_to_recordset($1::json) as r(${typed(table, table.key)})) k on ${matches}`,
    [asJson(keys.map((row) => Object.fromEntries(table.key.map((column) => [column, row[column]]))))],
  );
  return byKey(table, rows);
}

/** Reads at most `count` random rows, with columns as text. */
export async function sampleRows(
  db: Pool | PoolClient,
  schema: string,
  table: Table,
  count: number,
): Promise<Readonly<Record<string, string | null>>[]> {
  const name = `${schema}.${table.name}`;
  const size = await db.query<{ pages: string }>(
    `select pg_relation_size($1) / current_setting('block_size')::int as pages`,
    [name],
  );
  // Postgres samples whole pages. Sample some more than needed, because some may be empty.
  const percent = Math.min(100, (count * 100) / Math.max(1, Number(size.rows[0]?.pages ?? 0)));
  const { rows } = await db.query<{ texts: (string | null)[] }>(
    `select ${texts(table)} from ${name} t tablesample system ($1) order by random() limit $2`,
    [percent, count],
  );
  return rows.map(({ texts: row }) => namedTexts(table, row));
}

/** Positions after `after` up to `to`. */
export type Span = { after: bigint; to: bigint };

/** Reads the rows within these spans from a table with a row per event, with columns as text. */
export async function rowsInSpans(
  db: Pool | PoolClient,
  schema: string,
  table: Table,
  spans: readonly Span[],
): Promise<Readonly<Record<string, string | null>>[]> {
  const { rows } = await db.query<{ texts: (string | null)[] }>(
    `select distinct on (${table.key.join(', ')}) ${texts(table)}
     from unnest($1::bigint[], $2::bigint[]) s(after, upto)
     join ${schema}.${table.name} t on t.position > s.after and t.position <= s.upto`,
    [spans.map(({ after }) => after), spans.map(({ to }) => to)],
  );
  return rows.map(({ texts: row }) => namedTexts(table, row));
}

const namedTexts = (table: Table, row: RowTexts) =>
  Object.fromEntries(writtenColumns(table).map((column, place) => [column, row[place] ?? null]));

/** Rows of a projection, written as `db` would write them from a table. */
export async function writtenRows(
  db: Pool | PoolClient,
  table: Table,
  rows: readonly Row[],
): Promise<Map<string, RowTexts>> {
  const found = await db.query<{ texts: string[] }>(
    `select ${texts(table)} from json_to_recordset($1::json) as t(${typed(table, writtenColumns(table))})`,
    [asJson(rows)],
  );
  return byKey(table, found.rows);
}

function byKey(table: Table, rows: readonly { texts: RowTexts }[]): Map<string, RowTexts> {
  const columns = writtenColumns(table);
  const places = table.key.map((column) => columns.indexOf(column));
  return new Map(rows.map(({ texts: row }) => [JSON.stringify(places.map((place) => row[place])), row]));
}

/** Compares two sets of rows for these keys (of `keyOf`), except for the columns `without`. */
export function differencesOf(
  table: Table,
  names: Iterable<string>,
  actual: ReadonlyMap<string, RowTexts>,
  expected: ReadonlyMap<string, RowTexts>,
  without: readonly string[] = [],
): RowDifference[] {
  const all = writtenColumns(table);
  const differences: RowDifference[] = [];
  for (const name of names) {
    const [is, should] = [actual.get(name), expected.get(name)];
    const at = { table: table.name, key: keyColumns(table, name) };
    if (!is && !should) continue;
    if (!is) differences.push({ ...at, kind: 'missing', columns: [] });
    else if (!should) differences.push({ ...at, kind: 'surplus', columns: [] });
    else {
      const columns = all.filter((column, place) => is[place] !== should[place] && !without.includes(column));
      if (columns.length > 0) differences.push({ ...at, kind: 'changed', columns });
    }
  }
  return differences;
}
