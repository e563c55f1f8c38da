import fc from 'fast-check';
import type { Row, Table, TableChange, Value } from '../changes.ts';

/** A table with one column of every kind that changes treat differently. */
export const things: Table = {
  name: 'things',
  columns: {
    id: { type: 'integer' },
    owner: { type: 'text', isNullable: true },
    note: { type: 'text', isNullable: true },
    count: { type: 'integer', default: 0 },
    details: { type: 'jsonb', isNullable: true },
    position: { type: 'bigint', isNullable: true },
    parts: { type: 'jsonb', default: {}, hasEntries: true },
  },
  key: ['id'],
};

export type Rows = Map<string, Row>;

const defaults = { owner: null, note: null, count: 0, details: null, position: null, parts: {} };

export const matches = (row: Row, where: Row) =>
  Object.entries(where).every(([column, value]) => value !== null && row[column] === value);

export const added = (row: Row, by: Row): Row => {
  const sums = Object.entries(by).map(([column, n]): [string, Value] => [column, Number(row[column]) + Number(n)]);
  return { ...row, ...Object.fromEntries(sums) };
};

/** Merges entries in the simplest way. */
export function patchedThing(row: Row, { parts, ...values }: Row): Row {
  if (parts === undefined) return { ...row, ...values };
  const merged: Record<string, unknown> = { ...(row.parts as Row) };
  for (const [name, entry] of Object.entries(parts as Row)) {
    if (entry === null) delete merged[name];
    else merged[name] = { ...(merged[name] as Row), ...(entry as Row) };
  }
  return { ...row, ...values, parts: merged };
}

/** Applies a change in the simplest way. */
export function applyOne(rows: Rows, change: TableChange): void {
  if (change.kind === 'insert') {
    rows.set(String(change.row.id), { ...defaults, ...change.row });
    return;
  }
  for (const [id, row] of rows) {
    if (!matches(row, change.where)) continue;
    if (change.kind === 'remove') rows.delete(id);
    else rows.set(id, change.kind === 'patch' ? patchedThing(row, change.values) : added(row, change.by));
  }
}

const id = fc.integer({ min: 1, max: 4 });
const owner = fc.constantFrom('ann', 'bob');
const note = fc.option(fc.constantFrom('x', 'y', 'with "quotes", {braces} and \\', ''));
const details = fc.constantFrom(null, 'text', 'null', '', 0, 1.5, true, false, [], {}, ['a', null, [1]], {
  a: { b: 'ü' },
});
const position = fc.constantFrom(null, 0n, 9_007_199_254_740_993n);
const part = fc.record({ size: fc.constantFrom(1, 2, null), note }, { requiredKeys: [] });
const parts = fc.dictionary(fc.constantFrom('left', 'right'), fc.option(part));
const where = fc.oneof(
  fc.record({ id }),
  fc.record({ owner }),
  fc.record({ id, owner }),
  fc.record({ owner, note }),
  fc.constant({}),
);
const count = fc.integer({ min: -3, max: 9 });

/** Any change of `things`. There are few rows and values, so that changes collide. */
export const changesOfThings: fc.Arbitrary<TableChange> = fc.oneof(
  fc
    .record({ id, owner, note, details, position }, { requiredKeys: ['id'] })
    .map((row) => ({ kind: 'insert' as const, table: 'things', row })),
  fc
    .record({
      where,
      values: fc.oneof(
        fc.record({ note }),
        fc.record({ count }),
        fc.record({ details, position }),
        fc.record({ owner, note }),
        fc.record({ owner: fc.constant(null), note }),
        fc.record({ owner: fc.option(owner) }),
        fc.record({ parts }),
        fc.record({ note, parts }),
      ),
    })
    .map((parts) => ({ kind: 'patch' as const, table: 'things', ...parts })),
  fc
    .record({ where, by: fc.record({ count }) })
    .map((parts) => ({ kind: 'increment' as const, table: 'things', ...parts })),
  where.map((condition) => ({ kind: 'remove' as const, table: 'things', where: condition })),
);
