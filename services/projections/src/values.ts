import type { Row, Table, Value } from './changes.ts';

/** Whether values of these columns are the same just when their texts are: times and JSON have several. */
export const isComparable = ({ columns }: Table, where: Row): boolean =>
  Object.keys(where).every((column) => columns[column]?.type !== 'timestamptz' && columns[column]?.type !== 'jsonb');

/** Equality of SQL, of comparable columns: null equals nothing. */
export const hasValues = (row: Row, where: Row): boolean =>
  Object.entries(where).every(
    ([column, wanted]) => wanted !== null && row[column] !== null && String(row[column]) === String(wanted),
  );

/** As in SQL: nothing plus something is nothing. */
export function plus(value: Value | undefined, amount: number): Value {
  if (value === null || value === undefined) return null;
  return typeof value === 'bigint' ? value + BigInt(amount) : Number(value) + amount;
}

/** @returns the row with amounts added to its columns */
export function increased(row: Row, by: Readonly<Record<string, number>>): Row {
  const sums = Object.entries(by).map(([column, amount]): [string, Value] => [column, plus(row[column], amount)]);
  return { ...row, ...Object.fromEntries(sums) };
}

/** With the defaults of the columns that a projection leaves out. */
export function withDefaults(table: Table, given: Row): Row {
  const row: Record<string, Value> = {};
  for (const name in table.columns) {
    const value = given[name];
    row[name] = value === undefined ? (table.columns[name]?.default ?? null) : value;
  }
  for (const name in given) {
    if (!(name in row)) throw new Error(`a projection names the unknown column ${table.name}.${name}`);
  }
  return row;
}
