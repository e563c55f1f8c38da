import type { ProjectionGroup } from '@gatebook/projections/projection-group';
import { listProjectionVersions } from '@gatebook/projections/projection-versions';
import { runProjector } from '@gatebook/projections/run-projector';
import { takeTurns } from '@gatebook/runtime/leadership';
import type { Operator } from './operator.ts';

/** The leader election that a group's projector takes part in. */
const leaders: Readonly<Record<string, string>> = {
  main: 'projector',
  metrics: 'worker',
  audit: 'worker',
};

/**
 * Does `work` while the group's projection versions are kept at the head: by the server's projectors or, if none is the
 * leader, by this process. A group whose live projection version belongs to another code version is not touched.
 */
export async function whileProjected<T>(
  { pool, store, database, logger }: Operator,
  group: ProjectionGroup,
  work: () => Promise<T>,
): Promise<T> {
  const live = (await listProjectionVersions(pool, group.name)).find(({ status }) => status === 'live');
  const name = leaders[group.name];
  if (live?.version !== group.version || name === undefined) return work();
  const stopping = new AbortController();
  const projecting = takeTurns(
    { url: database.url, name, logger },
    (signal) => runProjector({ store, pool, group, logger }, signal),
    stopping.signal,
  );
  try {
    return await work();
  } finally {
    stopping.abort();
    await projecting;
  }
}
