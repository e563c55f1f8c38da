import { hash } from 'node:crypto';
import type { EventDefinitions, Recorded } from '@gatebook/domain/event';
import type { Unneeded } from '@gatebook/eventlog/port';
import type { Change, Table } from './changes.ts';

/**
 * Tables that are built and promoted together. Raise `version` when a table or a projection changes; then projectors
 * build the next projection version. Tables of tracked projections that did not change are copied.
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
  /** The same for a build of only these tables. */
  unneededFor: (tables: readonly Table[]) => Unneeded;
  /** Nobody waits for the rows, so new events are applied in batches of at most this long. */
  delayMs?: number;
  /** The same, but a single event does not wait: batches begin at least this far apart. */
  intervalMs?: number;
  /** The columns that `removeAll` can name. An index or key of every table with such a column begins with it. */
  removableBy?: readonly string[];
  /**
   * A table with the columns `project_id`, its key, and `at`, in which a projection keeps the commit time of the last
   * event. Then commit times that projections see never fall within a project, as those of EventStoreDB can.
   */
  commitTimes?: string;
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
  /** The table has the `position` of the event that inserted a row, but only the log knows the stream of that event. */
  isPerEvent?: boolean;
  /** Columns that depend on more streams than can be read for one row. */
  without?: readonly string[];
};

type Apply = (event: Recorded) => readonly Change[];
type AnyProjection = Readonly<Record<string, ((event: never) => readonly Change[]) | undefined>>;
/**
 * A projection of which the group knows what it depends on. When the group's version rises, tables whose projections
 * have not changed are copied instead of built.
 */
export type TrackedProjection = {
  projection: AnyProjection;
  /** All tables that it changes, except by `removeAll`. */
  tables: readonly Table[];
  /** Differs whenever the projection may make other changes of the same events. */
  code: string;
};

/** Raise it when the same changes give other rows. Then every table of every group is built. */
const engineVersion = 1;

export function defineProjectionGroup(
  definition: Omit<ProjectionGroup, 'changesFor' | 'unneeded' | 'unneededFor'> & {
    /** All event types of the log. */
    catalog: EventDefinitions;
    projections: readonly (AnyProjection | TrackedProjection)[];
    /** No row depends on personal data. */
    isAnonymous?: boolean;
  },
): ProjectionGroup {
  const { catalog, projections, isAnonymous = false, ...group } = definition;
  const { removableBy = [], shared } = group;
  const sources = projections.map((one) => (isTracked(one) ? one : { projection: one, tables: group.tables }));
  const byType = new Map<string, Apply[]>();
  for (const source of sources) {
    for (const [type, apply] of appliesOf(source)) byType.set(type, [...(byType.get(type) ?? []), apply]);
  }
  const sourcesOf = (table: string) => sources.filter(({ tables }) => tables.some(({ name }) => name === table));
  const fingerprintOf = ({ name, columns, key }: Table): { fingerprint?: string } => {
    const codes = sourcesOf(name).map((source) => ('code' in source ? source.code : null));
    if (codes.includes(null)) return {};
    return { fingerprint: hash('sha256', JSON.stringify([engineVersion, columns, key, removableBy, shared, codes])) };
  };
  const typesBesides = (needed: Pick<ReadonlySet<string>, 'has'>) =>
    new Set(Object.keys(catalog).filter((type) => !needed.has(type)));
  return {
    ...group,
    tables: group.tables.map((table) => ({
      ...table,
      removedBy: removableBy.filter((name) => name in table.columns),
      ...fingerprintOf(table),
    })),
    changesFor: (event) => (byType.get(event.type) ?? []).flatMap((apply) => apply(event)),
    unneeded: { types: typesBesides(byType), personal: isAnonymous },
    unneededFor: (tables) => ({
      types: typesBesides(
        new Set(tables.flatMap(({ name }) => sourcesOf(name).flatMap(({ projection }) => Object.keys(projection)))),
      ),
      personal: isAnonymous,
    }),
  };
}

const isTracked = (one: AnyProjection | TrackedProjection): one is TrackedProjection => typeof one.code === 'string';

/** By event type. A tracked projection may only change its tables. */
function appliesOf(source: TrackedProjection | Omit<TrackedProjection, 'code'>): [string, Apply][] {
  const names = 'code' in source ? new Set(source.tables.map(({ name }) => name)) : null;
  return Object.entries(source.projection).flatMap(([type, given]): [string, Apply][] => {
    // The catalog ties each type to its data, and the codec has checked it.
    const apply = given as Apply | undefined;
    if (!apply) return [];
    return [[type, names ? (event) => withinTables(names, apply(event)) : apply]];
  });
}

function withinTables(names: ReadonlySet<string>, changes: readonly Change[]): readonly Change[] {
  for (const change of changes) {
    if (change.kind !== 'removeAll' && !names.has(change.table)) {
      throw new Error(`a projection changes ${change.table}, but declares only ${[...names].join(', ')}`);
    }
  }
  return changes;
}
