import type { Recorded } from '@gatebook/domain/event';
import type { Pool, PoolClient } from '@gatebook/runtime/postgres';
import type { Table } from './changes.ts';
import type { ProjectionGroup } from './projection-group.ts';

type Target = { schema: string; tables: readonly Pick<Table, 'name'>[] };

/** Raises the commit times of events to those of earlier events of the same project. */
export type RaiseTimes = (events: readonly Recorded[]) => readonly Recorded[];

/** For events in log order. `latest`: the times of the events before them, by project. */
export function createTimeRaiser(
  { commitTimes }: Pick<ProjectionGroup, 'commitTimes'>,
  latest = new Map<string, string>(),
): RaiseTimes {
  if (commitTimes === undefined) return (events) => events;
  return (events) =>
    events.map((event) => {
      const { projectId } = event.metadata;
      const before = latest.get(projectId);
      if (before !== undefined && before > event.committedAt) return { ...event, committedAt: before };
      latest.set(projectId, event.committedAt);
      return event;
    });
}

/**
 * The same for a batch. Times of earlier batches are read from the group's table, so a batch that is based on old ones
 * must be void.
 */
export async function raiseCommitTimes(
  db: Pool | PoolClient,
  group: Pick<ProjectionGroup, 'commitTimes'>,
  { schema, tables }: Target,
  events: readonly Recorded[],
): Promise<readonly Recorded[]> {
  const { commitTimes: table } = group;
  // An older projection version can lack the table.
  if (table === undefined || events.length === 0 || !tables.some(({ name }) => name === table)) return events;
  const projects = [...new Set(events.map(({ metadata }) => metadata.projectId))];
  const { rows } = await db.query<{ projectId: string; at: Date }>(
    `select project_id as "projectId", at from ${schema}.${table} where project_id = any($1)`,
    [projects],
  );
  return createTimeRaiser(group, new Map(rows.map(({ projectId, at }) => [projectId, at.toISOString()])))(events);
}
