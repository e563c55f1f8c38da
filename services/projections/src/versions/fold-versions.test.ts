import { expect, test } from 'vitest';
import { patch } from '../changes.ts';
import { foldVersions } from './fold-versions.ts';
import { asVersioned, forever } from './versioned-table.ts';

const table = asVersioned({ name: 'owners', columns: { id: { type: 'text' }, role: { type: 'text' } }, key: ['id'] });
const rename = (at: bigint, role: string) => ({ at, change: patch('owners', { id: 'ann' }, { role }) });

test('versions do not overlap if an action of another project changed the row since this action began', () => {
  const current = [{ row: { id: 'ann', role: 'second' }, from: 12n }];
  const third = { id: 'ann', role: 'third', from_position: 12n, until_position: forever };
  expect(foldVersions(table, current, [rename(10n, 'third')])).toEqual([
    { kind: 'rows', rows: [{ kind: 'insert', row: third }] },
  ]);
  const first = [{ row: { id: 'ann', role: 'first' }, from: 5n }];
  const atOnce = foldVersions(table, first, [rename(12n, 'second'), rename(10n, 'third')]);
  const closed = { kind: 'patch', key: { id: 'ann', from_position: 5n }, set: { until_position: 12n }, add: {} };
  expect(atOnce).toEqual([{ kind: 'rows', rows: [closed, { kind: 'insert', row: third }] }]);
});
