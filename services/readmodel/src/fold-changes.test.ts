import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Change, Row, Table, Value } from './changes.ts';
import { type Folded, foldChanges, type RowChange } from './fold-changes.ts';

const table: Table = {
  name: 'things',
  columns: {
    id: { type: 'integer' },
    owner: { type: 'text' },
    note: { type: 'text', isNullable: true },
    count: { type: 'integer', default: 0 },
  },
  key: ['id'],
};

type Rows = Map<string, Row>;
const matches = (row: Row, where: Row) => Object.entries(where).every(([column, value]) => row[column] === value);
const add = (row: Row, by: Readonly<Record<string, number>>): Row => {
  const sums = Object.entries(by).map(([column, n]): [string, Value] => [column, Number(row[column]) + n]);
  return { ...row, ...Object.fromEntries(sums) };
};

/** What a change means, said as plainly as possible. */
function applyOne(rows: Rows, change: Change): void {
  if (change.kind === 'insert') {
    rows.set(String(change.row.id), { note: null, count: 0, ...change.row });
    return;
  }
  for (const [id, row] of rows) {
    if (!matches(row, change.where)) continue;
    if (change.kind === 'remove') rows.delete(id);
    else rows.set(id, change.kind === 'patch' ? { ...row, ...change.values } : add(row, change.by));
  }
}

/** What `writeChanges` does with SQL. */
function applyFolded(rows: Rows, folded: readonly Folded[]): void {
  for (const { steps } of folded) {
    for (const step of steps) {
      if (step.kind === 'matching') applyOne(rows, step.change);
      else for (const change of step.rows) applyRow(rows, change);
    }
  }
}

function applyRow(rows: Rows, change: RowChange): void {
  if (change.kind === 'insert') rows.set(String(change.row.id), change.row);
  else {
    const id = String(change.key.id);
    const row = rows.get(id);
    if (change.kind === 'remove') rows.delete(id);
    else if (row) rows.set(id, add({ ...row, ...change.set }, change.add));
  }
}

const id = fc.integer({ min: 1, max: 4 });
const owner = fc.constantFrom('ann', 'bob');
const note = fc.option(fc.constantFrom('x', 'y'));
const where = fc.oneof(fc.record({ id }), fc.record({ owner }), fc.record({ id, owner }));
const anyChange: fc.Arbitrary<Change> = fc.oneof(
  fc.record({ id, owner, note }).map((row) => ({ kind: 'insert' as const, table: 'things', row })),
  fc
    .record({
      where,
      values: fc.oneof(
        fc.record({ note }),
        fc.record({ count: fc.integer({ min: 0, max: 9 }) }),
        fc.record({ owner, note }),
      ),
    })
    .map((parts) => ({ kind: 'patch' as const, table: 'things', ...parts })),
  fc
    .record({ where, by: fc.record({ count: fc.integer({ min: -3, max: 3 }) }) })
    .map((parts) => ({ kind: 'increment' as const, table: 'things', ...parts })),
  where.map((condition) => ({ kind: 'remove' as const, table: 'things', where: condition })),
);

test('folding a batch gives the rows that applying change by change gives', () => {
  fc.assert(
    fc.property(fc.array(anyChange, { maxLength: 30 }), fc.array(anyChange, { maxLength: 30 }), (before, batch) => {
      const rows: Rows = new Map();
      for (const change of before) applyOne(rows, change);
      const folded: Rows = new Map(rows);
      for (const change of batch) applyOne(rows, change);
      applyFolded(folded, foldChanges([table], batch));
      expect(Object.fromEntries(folded)).toEqual(Object.fromEntries(rows));
    }),
    { numRuns: 2000, seed: 20260115 },
  );
});

test('each row is written at most once between changes of many rows', () => {
  const changes: Change[] = [
    { kind: 'insert', table: 'things', row: { id: 1, owner: 'ann' } },
    { kind: 'patch', table: 'things', where: { id: 1 }, values: { note: 'x' } },
    { kind: 'increment', table: 'things', where: { id: 1 }, by: { count: 2 } },
  ];
  expect(foldChanges([table], changes)).toEqual([
    { table, steps: [{ kind: 'rows', rows: [{ kind: 'insert', row: { id: 1, owner: 'ann', note: 'x', count: 2 } }] }] },
  ]);
});

test('unknown tables and columns are the projection’s fault and said so', () => {
  expect(() => foldChanges([table], [{ kind: 'remove', table: 'others', where: {} }])).toThrow('unknown table others');
  const row = { id: 1, owner: 'ann', colour: 'red' };
  expect(() => foldChanges([table], [{ kind: 'insert', table: 'things', row }])).toThrow(
    'unknown column things.colour',
  );
});
