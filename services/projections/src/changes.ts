import type { DomainEvent, Recorded } from '@gatebook/domain/event';

export type ColumnType = 'uuid' | 'text' | 'boolean' | 'integer' | 'bigint' | 'timestamptz' | 'jsonb';

/** A read-model table as data. Projection versions create it, and only `projector.ts` writes to it. */
export type Table = {
  name: string;
  /**
   * A column that an inserted row omits gets `default`, or null. Postgres keeps no planner statistics of `isPersonal`
   * columns, nor of expressions of them in indexes, because they would outlive the rows.
   */
  columns: Readonly<Record<string, Column>>;
  key: readonly string[];
  /**
   * Created when a projection version has caught up, not before. `on` is SQL: `(project_id, signed_up_at)` or `using
   * gin (…)`.
   */
  indexes?: readonly Index[];
  /** The columns of the table that `removeAll` can name; set by `defineProjectionGroup`. */
  removedBy?: readonly string[];
  /**
   * Of everything that the rows depend on except the log; set by `defineProjectionGroup`. Absent: a new projection
   * version always builds the table.
   */
  fingerprint?: string;
  /** The table whose rows this one keeps the versions of. See `asVersioned`. */
  versionsOf?: Pick<Table, 'columns' | 'key'>;
  /** Postgres counts the rows of another table that name a row of this one (docs/decisions/0117). */
  counts?: RowCounts;
  /** How full Postgres packs pages, in percent. Room lets it update rows without touching their indexes. */
  fillfactor?: number;
};

/**
 * `name`: of the table with the counts, which no projection names and no checksum contains. `of`: the counted table;
 * its column `by` names the counting row. `where`: SQL condition for the counted rows `r`.
 */
export type RowCounts = { name: string; of: string; by: string; where: string };

export type Column = {
  type: ColumnType;
  isNullable?: boolean;
  isPersonal?: boolean;
  default?: Value;
  /**
   * A jsonb object of entries by key: a patch adds entries, merges the fields of known ones, and removes those set to
   * null.
   */
  hasEntries?: boolean;
  /** SQL over other columns of the row. Postgres keeps the value, and no projection names the column. */
  generatedAs?: string;
};

/** `servesWrites`: changes find rows by it, so it is created with the table. */
export type Index = { name: string; on: string; isUnique?: boolean; where?: string; servesWrites?: boolean };

/** Column values as JSON-compatible data. Times are ISO strings and bigints are bigint; never use `undefined`. */
export type Value =
  | string
  | number
  | boolean
  | bigint
  | null
  | { readonly [key: string]: unknown }
  | readonly unknown[];
export type Row = Readonly<Record<string, Value>>;

/**
 * A change of the rows of one table. `where` matches by equality on any columns: the whole key names one row,
 * fewer columns name all rows with these values. Patching, incrementing or removing a missing row does nothing.
 */
export type TableChange =
  | { kind: 'insert'; table: string; row: Row }
  | { kind: 'patch'; table: string; where: Row; values: Row }
  | { kind: 'increment'; table: string; where: Row; by: Readonly<Record<string, number>> }
  | { kind: 'remove'; table: string; where: Row };

/**
 * `removeAll` removes every row with this value from all tables that have the column, also rows inserted later. It
 * takes the same time for any number of rows: a tombstone hides them, and they are deleted afterwards.
 * `erase` sets values in all versions of matching rows of a versioned table.
 */
export type Change =
  | TableChange
  | { kind: 'removeAll'; column: string; value: string }
  | { kind: 'erase'; table: string; where: Row; values: Row };

/** Inserts a row, or replaces the row with the same key. */
export const insert = (table: string, row: Row): TableChange => ({ kind: 'insert', table, row });
export const patch = (table: string, where: Row, values: Row): TableChange => ({ kind: 'patch', table, where, values });
export const increment = (table: string, where: Row, by: Readonly<Record<string, number>>): TableChange => ({
  kind: 'increment',
  table,
  where,
  by,
});
export const remove = (table: string, where: Row): TableChange => ({ kind: 'remove', table, where });
export const erase = (table: string, where: Row, values: Row): Change => ({ kind: 'erase', table, where, values });
export const removeAll = (column: string, value: string): Change => ({ kind: 'removeAll', column, value });

/** A pure function per event type to row changes: no SQL, clock, randomness or I/O. */
export type Projection<E extends DomainEvent> = {
  readonly [Type in E['type']]?: (event: Recorded<Extract<E, { type: Type }>>) => readonly Change[];
};
