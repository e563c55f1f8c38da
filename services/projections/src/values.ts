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

type Entries = Readonly<Record<string, Row | null>>;

/** Columns with entries hold nothing else. */
const entriesOf = (value: Value | undefined) => (value ?? {}) as Entries;

/** @returns the row as a patch leaves it */
export function patched(table: Table, row: Row, values: Row): Row {
  const merged = joinPatches(table, row, values);
  for (const column in values) {
    if (!table.columns[column]?.hasEntries) continue;
    merged[column] = Object.fromEntries(
      Object.entries(entriesOf(merged[column])).filter(([, entry]) => entry !== null),
    );
  }
  return merged;
}

/** @returns the values of two consecutive patches as one, unless `canJoin` is false */
export function joinPatches(table: Table, first: Row, second: Row): Record<string, Value> {
  const joined: Record<string, Value> = { ...first };
  for (const [column, value] of Object.entries(second)) {
    const entries: Record<string, Row | null> = { ...entriesOf(first[column]) };
    const isMerged = table.columns[column]?.hasEntries && column in first;
    for (const [key, entry] of isMerged ? Object.entries(entriesOf(value)) : []) {
      entries[key] = entry === null ? null : { ...entries[key], ...entry };
    }
    joined[column] = isMerged ? entries : value;
  }
  return joined;
}

/** Whether one patch can say what two do: it cannot remove an entry and add it again. */
export const canJoin = ({ columns }: Table, first: Row, second: Row): boolean =>
  Object.keys(second).every((column) => {
    if (!columns[column]?.hasEntries) return true;
    const before = entriesOf(first[column]);
    return Object.entries(entriesOf(second[column])).every(([key, entry]) => entry === null || before[key] !== null);
  });

/** The columns that projections write. */
export const writtenColumns = ({ columns }: Table): string[] =>
  Object.keys(columns).filter((column) => columns[column]?.generatedAs === undefined);

/** Fills in the defaults of columns that a projection omits. */
export function withDefaults(table: Table, given: Row): Row {
  const row: Record<string, Value> = {};
  for (const name of writtenColumns(table)) {
    const value = given[name];
    row[name] = value === undefined ? (table.columns[name]?.default ?? null) : value;
  }
  for (const name in given) {
    if (!(name in row)) throw new Error(`a projection sets the unknown column ${table.name}.${name}`);
  }
  return row;
}
