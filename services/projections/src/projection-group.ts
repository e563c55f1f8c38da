import type { EventDefinitions, Recorded } from '@gatebook/domain/event';
import type { Unneeded } from '@gatebook/eventlog/port';
import type { Change, Table } from './changes.ts';

/**
 * Tables that are built and promoted together. Raise `version` when a table or a projection changes; then projectors
 * build the next projection version.
 */
export type ProjectionGroup = {
  name: string;
  version: number;
  /** Absent: as many as the live projection version has, or one. Another number is built like another version. */
  shards?: number;
  tables: readonly Table[];
  /** Pure: the changes of an event, in order. */
  changesFor: (event: Recorded) => readonly Change[];
  /** What a rebuild does not read: events that change nothing, and personal data that no row depends on. */
  unneeded: Unneeded;
  /** Nobody waits for the rows, so new events are applied in batches of at most this long. */
  delayMs?: number;
  /** The columns that `removeAll` can name. An index or key of every table with such a column begins with it. */
  removableBy?: readonly string[];
  /** By table. Consistency checks derive single rows from these streams; they skip tables that are not listed. */
  rowStreams?: Readonly<Record<string, RowStreams>>;
  /**
   * A table of this or another group with one row per event, keyed by `position`: consistency checks draw positions of
   * the log from it.
   */
  eventTable?: { group: string; table: string };
  /**
   * A project whose events also patch and remove rows of other projects in these tables, which have a `project_id`. All
   * other events change only rows of the project that they belong to.
   */
  shared?: { projectId: string; tables: readonly string[] };
};

/** A row's columns, as values or as text: enough to name its streams. */
export type RowHint = Readonly<Record<string, unknown>>;

/** The streams from which a row can be derived. Their events, in log order, give the same row as the whole log. */
export type RowStreams = {
  of: (row: RowHint) => readonly string[];
  /** More streams, which only the events of those name. */
  named?: (event: Recorded) => readonly string[];
  /** The key of a row is the position of an event, so only the log knows the stream of that event. */
  isPerEvent?: boolean;
  /** Columns that depend on more streams than can be read for one row. */
  without?: readonly string[];
};

type AnyProjection = Readonly<Record<string, ((event: never) => readonly Change[]) | undefined>>;

export function defineProjectionGroup(
  definition: Omit<ProjectionGroup, 'changesFor' | 'unneeded'> & {
    /** All event types of the log. */
    catalog: EventDefinitions;
    projections: readonly AnyProjection[];
    /** No row depends on personal data. */
    isAnonymous?: boolean;
  },
): ProjectionGroup {
  const { catalog, projections, isAnonymous = false, ...group } = definition;
  const byType = new Map<string, ((event: Recorded) => readonly Change[])[]>();
  for (const projection of projections) {
    for (const [type, apply] of Object.entries(projection)) {
      // The catalog ties each type to its data, and the codec has checked it.
      if (apply) byType.set(type, [...(byType.get(type) ?? []), apply as (event: Recorded) => readonly Change[]]);
    }
  }
  const { removableBy = [] } = group;
  return {
    ...group,
    tables: group.tables.map((table) => ({ ...table, removedBy: removableBy.filter((name) => name in table.columns) })),
    changesFor: (event) => (byType.get(event.type) ?? []).flatMap((apply) => apply(event)),
    unneeded: {
      types: new Set(Object.keys(catalog).filter((type) => !byType.has(type))),
      personal: isAnonymous,
    },
  };
}
