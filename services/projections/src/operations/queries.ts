import type { Pool } from '@gatebook/runtime/postgres';
import { type ConsistencyCheck, newestConsistencyChecks } from '../consistency/consistency-checks.ts';
import { largest } from '../positions.ts';
import {
  isCheckpointLost,
  listProjectionVersions,
  type ProjectionVersion,
  type ProjectionVersionStatus,
} from '../projection-versions.ts';
import { listQuarantined, type Quarantined } from '../quarantine/quarantine.ts';
import type { ReadModels } from '../wait.ts';

export type SubscriptionStatus = {
  /** Name of a group or of a reactor. */
  name: string;
  /** Null for a reactor. */
  projectionVersion: string | null;
  position: bigint;
  state: 'following' | 'stopped';
  error: string | null;
  /** Whether it stopped because the log has lost the event at its position. */
  isCheckpointLost: boolean;
};
export type ProjectionVersionRow = {
  group: string;
  id: string;
  version: number;
  state: ProjectionVersionStatus;
  isStandby: boolean;
  isReady: boolean;
  /** Names the shard if there are several. */
  error: string | null;
  /** The position of the shard that lags most. */
  position: bigint;
  /** Positions by shard. */
  shards: readonly bigint[];
  /** Milliseconds since 1970. */
  createdAt: number;
};
/** A project whose events wait, because a subscription failed at one of them. */
export type QuarantineStatus = {
  projectId: string;
  /** Name of a group or of a reactor. */
  subscription: string;
  /** Null for a reactor. */
  projectionVersion: string | null;
  /** Whether it affects what is read or done now: not for a projection version that is not live. */
  isLive: boolean;
  /** Position of the event that failed. */
  position: bigint;
  error: string;
  /** Whether the key of a subject of the event is missing. */
  isKeyLost: boolean;
  /** Milliseconds since 1970. */
  since: number;
  /** When it is tried again; null if only newer code or an operator can help. */
  retryAt: number | null;
};
export type OperationsStatus = {
  subscriptions: SubscriptionStatus[];
  projectionVersions: ProjectionVersionRow[];
  quarantines: QuarantineStatus[];
  checks: ConsistencyCheck[];
  /** Leaders that hold their lock: `projector` and `worker`. */
  leaders: readonly string[];
  /** Clock of the database, in milliseconds since 1970. */
  now: number;
};

/** `isLost`: the log has lost the checkpoint, so no event was at fault. */
type ReactorRow = { name: string; position: string; error: string | null; isLost: boolean };

/**
 * The positions of all subscriptions, all projection versions, and the newest consistency checks. `main`: of a process
 * that follows the log. It knows that a shard lacks none of its own events; the shard saves that a moment later.
 */
export async function operationsStatus(pool: Pool, main?: Pick<ReadModels, 'position'>): Promise<OperationsStatus> {
  const [projectionVersions, quarantined, reactors, checks, { leaders, now }] = await Promise.all([
    listProjectionVersions(pool, null),
    listQuarantined(pool),
    pool.query<ReactorRow>(
      `select name, position, stopped_error as error, stopped_error is not null and stopped_position is null as "isLost"
       from readmodel.subscriptions order by name`,
    ),
    newestConsistencyChecks(pool),
    findLeaders(pool),
  ]);
  // Sort by name: the order of creation is random.
  const live = projectionVersions
    .filter(({ status }) => status === 'live')
    .toSorted((one, other) => (one.groupName < other.groupName ? -1 : 1));
  return {
    subscriptions: [
      ...live.map(
        (version): SubscriptionStatus => ({
          ...{ name: version.groupName, projectionVersion: version.schema },
          position: largest([version.position, ...(main && version.groupName === 'main' ? [main.position()] : [])]),
          ...stateOf(errorOf(version)),
          isCheckpointLost: version.shards.some(({ stopped }) => isCheckpointLost(stopped)),
        }),
      ),
      ...reactors.rows.map(
        ({ name, position, error, isLost }): SubscriptionStatus => ({
          ...{ name, projectionVersion: null, position: BigInt(position), ...stateOf(error) },
          isCheckpointLost: isLost,
        }),
      ),
    ],
    projectionVersions: projectionVersions.map(
      (projectionVersion): ProjectionVersionRow => ({
        group: projectionVersion.groupName,
        id: projectionVersion.schema,
        version: projectionVersion.version,
        state: projectionVersion.status,
        isStandby: projectionVersion.isStandby,
        isReady: projectionVersion.isReady,
        error: errorOf(projectionVersion),
        position: projectionVersion.position,
        shards: projectionVersion.shards.map(({ position }) => position),
        createdAt: Date.parse(projectionVersion.createdAt),
      }),
    ),
    // A project can be quarantined in several shards.
    quarantines: quarantined
      .filter((one, nth) => quarantined.findIndex((other) => isSameProject(one, other)) === nth)
      .map((one) => quarantineOf(one, projectionVersions)),
    checks,
    leaders,
    now,
  };
}

const isSameProject = (one: Quarantined, other: Quarantined) =>
  one.subscriber === other.subscriber && one.projectId === other.projectId;

function errorOf({ shards }: ProjectionVersion): string | null {
  const shard = shards.findIndex(({ stopped }) => stopped !== null);
  const error = shards[shard]?.stopped?.error ?? null;
  return error === null || shards.length === 1 ? error : `shard ${shard}: ${error}`;
}

function quarantineOf(
  { subscriber, projectId, position, error, isKeyLost, since, retryAt }: Quarantined,
  projectionVersions: readonly ProjectionVersion[],
): QuarantineStatus {
  const version = projectionVersions.find(({ schema }) => schema === subscriber);
  return {
    projectId,
    subscription: version?.groupName ?? subscriber,
    projectionVersion: version?.schema ?? null,
    isLive: version === undefined || version.status === 'live',
    position,
    error,
    isKeyLost,
    since: since.getTime(),
    retryAt: retryAt?.getTime() ?? null,
  };
}

/** Each leader holds an advisory lock on the hash of its name. */
async function findLeaders(pool: Pool): Promise<{ leaders: string[]; now: number }> {
  const { rows } = await pool.query<{ leaders: string[]; now: Date }>({
    name: 'operations-leaders',
    text: `select clock_timestamp() as now, array(
        select name from unnest($1::text[]) name
        where exists (select from pg_locks where locktype = 'advisory' and granted
          and database = (select oid from pg_database where datname = current_database())
          and (classid::bigint << 32 | objid::bigint) = (hashtext('leader ' || name)::bigint))) as leaders`,
    values: [['projector', 'worker']],
  });
  const [row] = rows;
  return { leaders: row?.leaders ?? [], now: row?.now.getTime() ?? Date.now() };
}

const stateOf = (error: string | null) => ({ state: error === null ? 'following' : 'stopped', error }) as const;
