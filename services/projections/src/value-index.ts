import type { Row } from './changes.ts';

/**
 * Finds rows by the values of some columns. A found row may have changed or be gone: changed rows are added again and
 * never removed.
 */
export type ValueIndex = {
  add(name: string, row: Row): void;
  /** Names of rows that have, or had, these values. A name can occur twice. */
  find(where: Row): readonly string[];
};

type Index = { columns: readonly string[]; names: Map<string, string[]> };

/** `rows`: the rows that exist when columns are first asked for; later rows must be added. */
export function createValueIndex(rows: () => Iterable<readonly [string, Row]>): ValueIndex {
  const indexes = new Map<string, Index>();

  function indexOf(columns: readonly string[]): Index {
    const known = indexes.get(columns.join());
    if (known) return known;
    const made: Index = { columns, names: new Map() };
    for (const [name, row] of rows()) put(made, name, row);
    indexes.set(columns.join(), made);
    return made;
  }

  return {
    add: (name, row) => {
      for (const index of indexes.values()) put(index, name, row);
    },
    find: (where) => {
      const { columns, names } = indexOf(Object.keys(where));
      return names.get(textOf(columns, where)) ?? [];
    },
  };
}

function put({ columns, names }: Index, name: string, row: Row): void {
  const text = textOf(columns, row);
  const named = names.get(text);
  if (named) named.push(name);
  else names.set(text, [name]);
}

/** Different values can have the same text, so callers must check the rows that they find. */
const textOf = (columns: readonly string[], row: Row) => columns.map((column) => String(row[column])).join();
