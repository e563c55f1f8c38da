import type { Row, Table, Value } from './changes.ts';

/** Whether values of these columns are equal exactly if their texts are. Times and JSON have several texts. */
export const isComparable = ({ columns }: Table, where: Row): boolean =>
  Object.keys(where).every((column) => columns[column]?.type !== 'timestamptz' && columns[column]?.type !== 'jsonb');

/** SQL equality of comparable columns: null equals nothing. */
export const hasValues = (row: Row, where: Row): boolean =>
  Object.entries(where).every(
    ([column, wanted]) => wanted !== null && row[column] !== null && String(row[column]) === String(wanted),
  );

/** As in SQL, null plus a number is null. */
export function plus(value: Value | undefined, amount: number): Value {
  if (value === null || value === undefined) return null;
  return typeof value === 'bigint' ? value + BigInt(amount) : Number(value) + amount;
}

/** @returns the row with amounts added to its columns */
export function increased(row: Row, by: Readonly<Record<string, number>>): Row {
  const sums = Object.entries(by).map(([column, amount]): [string, Value] => [column, plus(row[column], amount)]);
  return { ...row, ...Object.fromEntries(sums) };
}

/** Fills in the defaults of columns that a projection omits. */
export function withDefaults(table: Table, given: Row): Row {
  const row: Record<string, Value> = {};
  for (const name in table.columns) {
    const value = given[name];
    row[name] = value === undefined ? (table.columns[name]?.default ?? null) : value;
  }
  for (const name in given) {
    if (!(name in row)) throw new Error(`a projection sets the unknown column ${table.name}.${name}`);
  }
  return row;
}
