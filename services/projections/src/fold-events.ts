import type { Recorded } from '@gatebook/domain/event';
import type { Change, Table, TableChange } from './changes.ts';
import { type Folded, foldChanges } from './fold-changes.ts';
import type { ProjectionGroup } from './projection-group.ts';
import type { ProjectionVersion } from './projection-versions.ts';
import { describeFailure, type Failure, isWaiting, placeOf } from './quarantine/quarantine.ts';
import { shardOf } from './shards.ts';
import { splitChanges, type TombstoneChanges } from './tombstones.ts';
import type { AppliedEvent } from './versions/write-versions.ts';

/** `shard`: absent if there is only one. */
type Shard = Pick<ProjectionVersion, 'tables' | 'shards'> & { shard?: number };
type Target = Shard & Pick<ProjectionVersion, 'quarantine'>;

/** What a batch writes, and which projects it quarantines. */
export type EventChanges = {
  folded: readonly Folded[];
  /** For versioned tables, in log order; empty if there are none. */
  applied: readonly AppliedEvent[];
  tombstones: TombstoneChanges;
  failures: readonly Failure[];
};

export const noChanges: EventChanges = {
  folded: [],
  applied: [],
  tombstones: { added: [], inserted: [] },
  failures: [],
};

function foldAll(
  group: ProjectionGroup,
  tables: readonly Table[],
  applied: readonly AppliedEvent[],
  failures: Iterable<Failure>,
): EventChanges {
  const { ofTables, tombstones } = splitChanges(
    group,
    applied.flatMap(({ changes }) => changes),
  );
  const versioned = new Set(tables.flatMap(({ name, versionsOf }) => (versionsOf ? [name] : [])));
  const ofOthers = versioned.size === 0 ? ofTables : ofTables.filter(({ table }) => !versioned.has(table));
  return {
    folded: foldChanges(tables, ofOthers),
    applied: versioned.size === 0 ? [] : applied,
    tombstones,
    failures: [...failures],
  };
}

/** Leaves out events of quarantined projects, and those of a project from the first failing one on. */
export function foldEvents(
  group: ProjectionGroup,
  target: Target,
  from: bigint,
  events: readonly Recorded[],
): EventChanges {
  const applied: AppliedEvent[] = [];
  const failures = new Map<string, Failure>();
  let before = from;
  for (const event of events) {
    const { projectId } = event.metadata;
    if (!failures.has(projectId) && !isWaiting(target.quarantine, event)) {
      try {
        const changes = changesOf(group, target, event);
        if (changes.length > 0) applied.push({ event, changes, isOwn: belongsTo(target, event) });
      } catch (error) {
        failures.set(projectId, { ...placeOf(event, before), error: describeFailure(event, error) });
      }
    }
    before = event.position;
  }
  return foldAll(group, target.tables, applied, failures.values());
}

/** The changes of rows of this shard by an event. @throws Error if the event cannot be read or applied */
export function changesOf(group: ProjectionGroup, target: Shard, event: Recorded): readonly Change[] {
  const { tables } = target;
  const isOwn = belongsTo(target, event);
  if (group.unneeded.types?.has(event.type) || (!isOwn && !isOfSharedProject(group, event))) return [];
  if (event.unreadable) throw event.unreadable;
  const changes = fitting(group, tables, isOwn ? group.changesFor(event) : changesForOthers(group, event));
  for (const change of changes) requireColumns(group, tables, change);
  return changes;
}

/** By event of the shared project, because every shard asks. */
const known = new WeakMap<Recorded, { by: ProjectionGroup['changesFor']; changes: readonly Change[] }>();

/** The changes of rows of other projects by an event of the shared project. */
function changesForOthers(group: ProjectionGroup, event: Recorded): readonly Change[] {
  const before = known.get(event);
  if (before?.by === group.changesFor) return before.changes;
  const changes = group.changesFor(event).filter((change) => reachesOtherProjects(group, change));
  known.set(event, { by: group.changesFor, changes });
  return changes;
}

const belongsTo = ({ shards, shard = 0 }: Shard, { metadata }: Recorded) =>
  shardOf(metadata.projectId, shards.length) === shard;

const isOfSharedProject = ({ shared }: ProjectionGroup, { metadata }: Recorded) =>
  shared?.projectId === metadata.projectId;

/** Of changes by an event of the shared project. Which rows each shard changes is decided when they are written. */
const reachesOtherProjects = ({ shared }: ProjectionGroup, change: Change) =>
  change.kind === 'removeAll' ||
  ((change.kind === 'patch' || change.kind === 'remove') && shared?.tables.includes(change.table) === true);

/** Whether a shard has to apply an event, or only to pass it. */
export const concerns = (group: ProjectionGroup, target: Shard, event: Recorded): boolean =>
  belongsTo(target, event) || reachesOtherShards(group, event);

/** Whether an event changes rows of other projects than its own. */
export function reachesOtherShards(group: ProjectionGroup, event: Recorded): boolean {
  if (!isOfSharedProject(group, event) || group.unneeded.types?.has(event.type)) return false;
  try {
    return event.unreadable !== undefined || changesForOthers(group, event).length > 0;
  } catch {
    return true;
  }
}

/** An older projection version that this code can read has all its columns, but may lack new tables. */
function fitting(group: ProjectionGroup, tables: readonly Table[], changes: readonly Change[]): readonly Change[] {
  if (tables === group.tables) return changes;
  return changes.filter((change) => change.kind === 'removeAll' || tables.some(({ name }) => name === change.table));
}

function requireColumns({ removableBy = [] }: ProjectionGroup, tables: readonly Table[], change: Change): void {
  if (change.kind === 'removeAll') {
    if (removableBy.includes(change.column)) return;
    throw new Error(`a projection removes all rows by the column ${change.column}`);
  }
  const table = tables.find(({ name }) => name === change.table);
  if (!table) throw new Error(`a projection changes the unknown table ${change.table}`);
  const rows = change.kind === 'insert' ? [change.row] : [change.where];
  if (change.kind === 'patch' || change.kind === 'erase') rows.push(change.values);
  if (change.kind === 'increment') rows.push(change.by);
  for (const row of rows) {
    for (const column in row) {
      if (!(column in table.columns)) throw new Error(`table ${table.name} has no column ${column}`);
    }
  }
}

/**
 * The changes of a quarantined project's waiting events, up to the first failing one. `events` includes those of the
 * shared project, which change rows of the project too. They were applied when they happened, to the rows of that time;
 * now they are applied to the project's rows in order.
 */
export function foldWaiting(
  group: ProjectionGroup,
  target: Target,
  { projectId, after, events }: { projectId: string; after: bigint; events: readonly Recorded[] },
): EventChanges {
  const applied: AppliedEvent[] = [];
  let before = after;
  for (const event of events) {
    const isOwn = event.metadata.projectId === projectId;
    try {
      if (isOwn) applied.push({ event, changes: changesOf(group, target, event), isOwn });
      else if (!event.unreadable && !isWaiting(target.quarantine, event)) {
        const changes = restricted(target.tables, projectId, changesOf(group, target, event));
        applied.push({ event, changes, isOwn });
      }
    } catch (error) {
      const failure = { ...placeOf(event, before), error: describeFailure(event, error) };
      if (isOwn) return foldAll(group, target.tables, applied, [failure]);
    }
    before = event.position;
  }
  return foldAll(group, target.tables, applied, []);
}

/** Only what the changes do to existing rows of the project. Tombstones remain and apply to all rows anyway. */
function restricted(tables: readonly Table[], projectId: string, changes: readonly Change[]): TableChange[] {
  return changes.flatMap((change) => {
    if (change.kind === 'removeAll' || change.kind === 'erase') return [];
    const table = tables.find(({ name }) => name === change.table);
    if (!table || !('project_id' in table.columns)) return [];
    if (change.kind === 'insert' || change.kind === 'increment') return [];
    return [{ ...change, where: { ...change.where, project_id: projectId } }];
  });
}
