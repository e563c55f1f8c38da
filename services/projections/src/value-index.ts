import type { Row } from './changes.ts';

/**
 * Finds rows by the values of some of their columns. What it names may have other values by now, or be gone: a row that changes is added
 * again, and never taken out.
 */
export type ValueIndex = {
  add(name: string, row: Row): void;
  /** Names of rows that have, or had, these values; a name may come twice. */
  find(where: Row): readonly string[];
};

type Index = { columns: readonly string[]; names: Map<string, string[]> };

/** `rows`: what there is when columns are asked for the first time; later ones have to be added. */
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

/** Different values may have the same text: whoever finds rows looks at them. */
const textOf = (columns: readonly string[], row: Row) => columns.map((column) => String(row[column])).join();
