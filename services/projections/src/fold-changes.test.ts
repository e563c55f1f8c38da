import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Row, TableChange } from './changes.ts';
import { type Folded, foldChanges, type RowChange } from './fold-changes.ts';
import type { MatchingStep } from './fold-matching.ts';
import { added, applyOne, changesOfThings, matches, patchedThing, type Rows, things } from './testing/things.ts';

/** What `writeChanges` does with SQL. */
function applyFolded(rows: Rows, folded: readonly Folded[]): void {
  for (const { steps } of folded) {
    for (const step of steps) {
      if (step.kind === 'matching') applyMatching(rows, step);
      else for (const change of step.rows) applyRow(rows, change);
    }
  }
}

/** A statement sees the rows as they were before it, and writes each of them once. */
function applyMatching(rows: Rows, { change, items }: MatchingStep): void {
  for (const [id, row] of [...rows]) {
    const [item, second] = items.filter(({ where }) => matches(row, where));
    expect(second).toBeUndefined();
    if (!item) continue;
    if (change === 'remove') rows.delete(id);
    else rows.set(id, change === 'patch' ? patchedThing(row, item.values) : added(row, item.values));
  }
}

function applyRow(rows: Rows, change: RowChange): void {
  if (change.kind === 'insert') rows.set(String(change.row.id), change.row);
  else {
    const id = String(change.key.id);
    const row = rows.get(id);
    if (change.kind === 'remove') rows.delete(id);
    else if (row) rows.set(id, added(patchedThing(row, change.set), change.add));
  }
}

test('folding a batch gives the same rows as applying each change', () => {
  fc.assert(
    fc.property(
      fc.array(changesOfThings, { maxLength: 30 }),
      fc.array(changesOfThings, { maxLength: 30 }),
      (before, batch) => {
        const rows: Rows = new Map();
        for (const change of before) applyOne(rows, change);
        const folded: Rows = new Map(rows);
        for (const change of batch) applyOne(rows, change);
        applyFolded(folded, foldChanges([things], batch));
        expect(Object.fromEntries(folded)).toEqual(Object.fromEntries(rows));
      },
    ),
    { numRuns: 5000, seed: 20260115 },
  );
});

test('each row is written at most once between two changes of many rows', () => {
  const changes: TableChange[] = [
    { kind: 'insert', table: 'things', row: { id: 1, owner: 'ann' } },
    { kind: 'patch', table: 'things', where: { id: 1 }, values: { note: 'x' } },
    { kind: 'increment', table: 'things', where: { id: 1 }, by: { count: 2 } },
  ];
  expect(foldChanges([things], changes)).toEqual([
    {
      table: things,
      steps: [
        {
          kind: 'rows',
          rows: [
            {
              kind: 'insert',
              row: { id: 1, owner: 'ann', note: 'x', count: 2, details: null, position: null, parts: {} },
            },
          ],
        },
      ],
    },
  ]);
});

const leave = (owner: string): TableChange => ({ kind: 'remove', table: 'things', where: { owner } });

test('removals for many owners become one statement, also in the middle of a batch', () => {
  const changes = ['ann', 'bob', 'eve'].flatMap((owner, index): TableChange[] => [
    { kind: 'insert', table: 'things', row: { id: index, owner } },
    { kind: 'patch', table: 'things', where: { id: 9 }, values: { note: owner } },
    leave(owner),
  ]);
  expect(foldChanges([things], changes)).toEqual([
    {
      table: things,
      steps: [
        {
          kind: 'matching',
          change: 'remove',
          items: ['ann', 'bob', 'eve'].map((owner) => ({ where: { owner }, values: {} })),
        },
        {
          kind: 'rows',
          rows: [
            { kind: 'remove', key: { id: 0 } },
            { kind: 'patch', key: { id: 9 }, set: { note: 'eve' }, add: {} },
            { kind: 'remove', key: { id: 1 } },
            { kind: 'remove', key: { id: 2 } },
          ],
        },
      ],
    },
  ]);
});

test('a change of matching rows is written after a change of the columns that it matches by', () => {
  const becomesAnn: TableChange = { kind: 'patch', table: 'things', where: { id: 1 }, values: { owner: 'ann' } };
  expect(foldChanges([things], [becomesAnn, leave('ann')])[0]?.steps.map(({ kind }) => kind)).toEqual([
    'rows',
    'matching',
  ]);
});

test.each<Row>([{ id: 1 }, { owner: 'ann' }])(
  'an entry that is removed and added again has none of its old fields',
  (where) => {
    const change = (parts: Row): TableChange => ({ kind: 'patch', table: 'things', where, values: { parts } });
    const row = { id: 1, owner: 'ann', parts: { left: { size: 2, note: 'x' } } };
    const rows: Rows = new Map([['1', row]]);
    applyFolded(rows, foldChanges([things], [change({ left: null }), change({ left: { size: 1 } })]));
    expect(rows.get('1')?.parts).toEqual({ left: { size: 1 } });
  },
);

test('unknown tables and columns in a projection are errors', () => {
  expect(() => foldChanges([things], [{ kind: 'remove', table: 'others', where: {} }])).toThrow('unknown table others');
  const row = { id: 1, owner: 'ann', color: 'red' };
  expect(() => foldChanges([things], [{ kind: 'insert', table: 'things', row }])).toThrow(
    'unknown column things.color',
  );
});
