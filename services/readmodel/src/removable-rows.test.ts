import { expect, test } from 'vitest';
import { allGroups } from './projection-groups.ts';

const removable = allGroups.flatMap(({ tables }) =>
  tables.flatMap((table) => (table.removedBy ?? []).map((column) => ({ table, column }))),
);

test.each(removable.map(({ table, column }) => [table.name, column, table] as const))(
  'rows of %s with one %s are found by an index or the key',
  (_name, column, { key, indexes = [] }) => {
    const first = [key[0], ...indexes.map(({ on }) => /^\((\w+)/.exec(on)?.[1])];
    expect(first).toContain(column);
  },
);

test('every table with data of a project loses its rows when the project is deleted', () => {
  const tables = removable.filter(({ column }) => column === 'project_id').map(({ table }) => table.name);
  const all = allGroups.flatMap(({ tables }) => tables.map(({ name }) => name));
  expect(all.filter((name) => !tables.includes(name))).toEqual(['projects']);
});
