import type { EventStore } from '@gatebook/eventlog/port';
import type { Pool } from '@gatebook/runtime/postgres';
import type { ProjectionGroup } from '../projection-group.ts';
import type { ProjectionVersion } from '../projection-versions.ts';
import { type Comparison, compareWithLive } from './compare.ts';
import { askForRebuild, discard, findProjectionVersion, OperationRejectedError, promoteStandby } from './rebuilds.ts';

/**
 * What operators do with projection versions, which they name by schema. All functions throw OperationRejectedError.
 */
export type Rebuilds = {
  /** Asks for a new projection version; one at a time. */
  ask(groupName: string): Promise<ProjectionVersion>;
  compare(schema: string): Promise<Comparison>;
  /** Promotes the standby, or rolls back to the previous version. */
  promoteStandby(schema: string): Promise<void>;
  discard(schema: string): Promise<void>;
};

/** `pool`: an account that can write read models. */
export function createRebuilds(parts: { pool: Pool; store: EventStore; groups: readonly ProjectionGroup[] }): Rebuilds {
  const { pool, store, groups } = parts;

  function setNamed(name: string): ProjectionGroup {
    const group = groups.find((candidate) => candidate.name === name);
    if (!group) throw new OperationRejectedError('unknown', `Projection group ${name} does not exist.`);
    return group;
  }

  return {
    ask: async (groupName) => (await askForRebuild(pool, setNamed(groupName))).projectionVersion,
    compare: async (schema) => {
      const { id, groupName } = await findProjectionVersion(pool, schema);
      return compareWithLive({ pool, store, group: setNamed(groupName) }, id);
    },
    promoteStandby: async (schema) => {
      const { id, groupName } = await findProjectionVersion(pool, schema);
      await promoteStandby(pool, setNamed(groupName), id);
    },
    discard: async (schema) => discard(pool, await findProjectionVersion(pool, schema)),
  };
}
