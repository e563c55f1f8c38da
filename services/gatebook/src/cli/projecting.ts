import type { ProjectionGroup } from '@gatebook/readmodel/projection-groups';
import { listProjectionVersions } from '@gatebook/readmodel/projection-versions';
import { runProjector } from '@gatebook/readmodel/run-projector';
import { takeTurns } from '@gatebook/runtime/leadership';
import type { Operator } from './operator.ts';

/** Who of a server's subscriptions keeps a set: the name that they take turns under. */
const leaders: Readonly<Record<string, string>> = { main: 'projector', metrics: 'worker' };

/**
 * Does `work` while somebody keeps the set's projection versions at the head: the server's projectors, or, as long as none of them leads, this
 * process. A set whose live projection version is of another version is left alone.
 */
export async function whileProjected<T>(
  { pool, store, database, logger }: Operator,
  set: ProjectionGroup,
  work: () => Promise<T>,
): Promise<T> {
  const live = (await listProjectionVersions(pool, set.name)).find(({ status }) => status === 'live');
  const name = leaders[set.name];
  if (live?.version !== set.version || name === undefined) return work();
  const done = new AbortController();
  const projecting = takeTurns(
    { url: database.url, name, logger },
    (signal) => runProjector({ store, pool, set, logger }, signal),
    done.signal,
  );
  try {
    return await work();
  } finally {
    done.abort();
    await projecting;
  }
}
