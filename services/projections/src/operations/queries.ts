import type { Pool } from '@gatebook/runtime/postgres';
import { type ConsistencyCheck, newestConsistencyChecks } from '../consistency/consistency-checks.ts';
import { listProjectionVersions, type ProjectionVersionStatus } from '../projection-versions.ts';

export type SubscriptionStatus = {
  /** Name of a group or of a reactor. */
  name: string;
  /** Null for a reactor. */
  projectionVersion: string | null;
  position: bigint;
  state: 'following' | 'stopped';
  error: string | null;
};
export type ProjectionVersionRow = {
  group: string;
  id: string;
  version: number;
  state: ProjectionVersionStatus;
  isStandby: boolean;
  isReady: boolean;
  error: string | null;
  position: bigint;
  /** Milliseconds since 1970. */
  createdAt: number;
};
export type OperationsStatus = {
  subscriptions: SubscriptionStatus[];
  projectionVersions: ProjectionVersionRow[];
  checks: ConsistencyCheck[];
};

/** The positions of all subscriptions, all projection versions, and the newest consistency checks. */
export async function operationsStatus(pool: Pool): Promise<OperationsStatus> {
  const [projectionVersions, reactors, checks] = await Promise.all([
    listProjectionVersions(pool, null),
    pool.query<{ name: string; position: string; stopped_error: string | null }>(
      'select name, position, stopped_error from readmodel.subscriptions order by name',
    ),
    newestConsistencyChecks(pool),
  ]);
  // Sort by name: the order of creation is random.
  const live = projectionVersions
    .filter(({ status }) => status === 'live')
    .toSorted((one, other) => (one.groupName < other.groupName ? -1 : 1));
  return {
    subscriptions: [
      ...live.map(({ groupName, schema, position, stopped }) =>
        subscription(groupName, schema, position, stopped?.error ?? null),
      ),
      ...reactors.rows.map((row) => subscription(row.name, null, BigInt(row.position), row.stopped_error)),
    ],
    projectionVersions: projectionVersions.map(
      ({ groupName, schema, version, status, position, createdAt, isStandby, isReady, stopped }) => ({
        group: groupName,
        id: schema,
        version,
        state: status,
        isStandby,
        isReady,
        error: stopped?.error ?? null,
        position,
        createdAt: Date.parse(createdAt),
      }),
    ),
    checks,
  };
}

function subscription(
  name: string,
  projectionVersion: string | null,
  position: bigint,
  error: string | null,
): SubscriptionStatus {
  return { name, projectionVersion, position, state: error === null ? 'following' : 'stopped', error };
}
