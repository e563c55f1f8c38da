import { expect, test } from 'vitest';
import { allGroups, pastGroup } from './projection-groups.ts';

const groups = [...allGroups, pastGroup];
const removable = groups.flatMap(({ tables }) =>
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
  const lasting = groups.flatMap(({ name: group, tables }) =>
    tables.flatMap(({ name, removedBy = [] }) => (removedBy.includes('project_id') ? [] : [`${group}.${name}`])),
  );
  expect(lasting).toEqual(['main.projects']);
});
