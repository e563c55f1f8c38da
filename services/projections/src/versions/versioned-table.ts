import type { Column, Index, Table } from '../changes.ts';

/** `until_position` of a version that is still current. */
export const forever = 9_223_372_036_854_775_807n;

/**
 * The table that keeps every version of the rows of `table`. A version is valid from `from_position` on, before
 * `until_position`. Projections name the columns of `table`.
 */
export function asVersioned({ name, columns, key, indexes = [], fillfactor }: Table): Table {
  const open: Index = {
    name: `${name}_open`,
    on: `(${key.join(', ')})`,
    where: `until_position = ${forever}`,
    servesWrites: true,
  };
  return {
    name,
    columns: {
      ...Object.fromEntries(Object.entries(columns).map(([column, definition]) => [column, plain(definition)])),
      from_position: { type: 'bigint' },
      until_position: { type: 'bigint' },
    },
    key: [...key, 'from_position'],
    indexes: [...indexes.map(withPositions), open],
    ...(fillfactor !== undefined && { fillfactor }),
    versionsOf: { columns, key },
  };
}

/** A version is written as a whole, so no statement merges entries or fills in defaults. */
function plain({ hasEntries: _, default: __, ...column }: Column): Column {
  return column;
}

/** Versions that are not valid at a position are skipped within the index. */
function withPositions({ isUnique: _, on, ...index }: Index): Index {
  return { ...index, on: on.startsWith('(') ? `${on.slice(0, -1)}, from_position, until_position)` : on };
}

/**
 * The actions of each project: the consecutive events of one request. All changes of an action make versions of its
 * first position, so none of them is half visible. A group with versioned tables contains this table, and the engine
 * writes it.
 */
export const actionsTable: Table = asVersioned({
  name: 'actions',
  columns: {
    project_id: { type: 'text' },
    /** ID of the request. */
    action_id: { type: 'text' },
    /** Of its last event. */
    event_id: { type: 'uuid' },
    /** When its first event was committed. Never before that of an earlier action of the project. */
    at: { type: 'timestamptz' },
  },
  key: ['project_id'],
  indexes: [{ name: 'actions_by_project', on: '(project_id, at)' }],
});
