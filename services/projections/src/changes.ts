import type { DomainEvent, Recorded } from '@gatebook/domain/event';

export type ColumnType = 'uuid' | 'text' | 'boolean' | 'integer' | 'bigint' | 'timestamptz' | 'jsonb';

/** A read-model table as data: projection versions create it, `projector.ts` writes it, nothing else changes it. */
export type Table = {
  name: string;
  /**
   * A column that an inserted row leaves out gets `default`, else null. Of `isPersonal` ones Postgres keeps no samples for its planner: they
   * would outlive the rows.
   */
  columns: Readonly<Record<string, { type: ColumnType; isNullable?: boolean; isPersonal?: boolean; default?: Value }>>;
  key: readonly string[];
  /** Made when a projection version has caught up, not before. `on` is SQL: `(project_id, signed_up_at)` or `using gin (…)`. */
  indexes?: readonly Index[];
};

/** `servesWrites`: changes of rows by other columns than the key look rows up by it, so it is made with the table. */
export type Index = { name: string; on: string; isUnique?: boolean; where?: string; servesWrites?: boolean };

/** Column values as JSON-compatible data; times as ISO strings, bigints as bigint, `undefined` is never used. */
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
 * What a projection says about one event. `where` matches by equality on any columns: the whole key names one row, fewer
 * columns name all rows that have these values. Patching, incrementing or removing what is not there does nothing.
 */
export type Change =
  | { kind: 'insert'; table: string; row: Row }
  | { kind: 'patch'; table: string; where: Row; values: Row }
  | { kind: 'increment'; table: string; where: Row; by: Readonly<Record<string, number>> }
  | { kind: 'remove'; table: string; where: Row };

/** A new row; a row with the same key is replaced. */
export const insert = (table: string, row: Row): Change => ({ kind: 'insert', table, row });
export const patch = (table: string, where: Row, values: Row): Change => ({ kind: 'patch', table, where, values });
export const increment = (table: string, where: Row, by: Readonly<Record<string, number>>): Change => ({
  kind: 'increment',
  table,
  where,
  by,
});
export const remove = (table: string, where: Row): Change => ({ kind: 'remove', table, where });

/** A pure function per event type to row changes: no SQL, no clock, no randomness, no IO. */
export type Projection<E extends DomainEvent> = {
  readonly [Type in E['type']]?: (event: Recorded<Extract<E, { type: Type }>>) => readonly Change[];
};
