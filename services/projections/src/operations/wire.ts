import type { Comparison, Difference } from './compare.ts';

const ways = { 'only-live': 'only_live', 'only-other': 'only_other', changed: 'changed' } as const;

/** A comparison as JSON, for HTTP and the command line. */
export const comparisonToWire = ({ live, other, position, isEqual, tables, quarantined }: Comparison) => ({
  live,
  other,
  position: String(position),
  is_equal: isEqual,
  quarantined: { live: [...quarantined.live], other: [...quarantined.other] },
  tables: tables.map(({ table, rowsLive, rowsOther, onlyLive, onlyOther, changed, first }) => ({
    table,
    rows_live: rowsLive,
    rows_other: rowsOther,
    only_live: onlyLive,
    only_other: onlyOther,
    changed,
    first: first.map(({ key, how, columns }) => ({ key: keyToWire(key), how: ways[how], columns: [...columns] })),
  })),
});

/** Key columns are text or numbers. */
const keyToWire = (key: Difference['key']) =>
  Object.fromEntries(
    Object.entries(key).map(([name, value]) => [name, typeof value === 'number' ? value : String(value)]),
  );
