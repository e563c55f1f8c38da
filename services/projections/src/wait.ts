import type { Recorded } from '@gatebook/domain/event';
import type { Listener } from '@gatebook/runtime/listener';
import type { Logger } from '@gatebook/runtime/logger';
import type { Pool } from '@gatebook/runtime/postgres';
import { reachesOtherShards } from './fold-events.ts';
import type { LogTail } from './log-tail.ts';
import type { ProjectionGroup } from './projection-group.ts';
import { canRead } from './projection-tables.ts';
import {
  listProjectionVersions,
  type ProjectionVersion,
  projectionVersionsChannel,
  promotionMs,
} from './projection-versions.ts';
import { projectedChannel } from './projector.ts';
import type { Quarantine } from './quarantine/quarantine.ts';
import { createShardPositions, type EventPlace, type ShardPositions } from './shard-positions.ts';
import { shardOf } from './shards.ts';
import { createWaiters } from './waiters.ts';

/** How long a response waits for its own write (architecture §5). */
export const answerAfterMs = 2000;
/** Waiters poll this often, in case a notification is lost. */
const pollMs = 250;

export type ReadModels = {
  /**
   * Waits until the rows of these projects, or of all, contain the log up to `position`. Null means that nothing was
   * written, so it is always reached. `behind` at once if one of the projects is quarantined, because its rows lack
   * events. `isOwnWrite`: this process has appended the event at `position`, of these projects or of another. `group`:
   * the group whose rows are read, unless it is the main group.
   */
  reached(
    position: bigint | null,
    timeoutMs?: number,
    projectIds?: readonly string[],
    options?: { isOwnWrite?: boolean; group?: string },
  ): Promise<'reached' | 'behind'>;
  /**
   * Follows the log, to know which events concern which projects. Without it, a process waits for all shards.
   * `scopesOf`: the projects that show an event.
   */
  followLog(tail: Pick<LogTail, 'add'>, scopesOf: (event: Recorded) => ReadonlySet<string>): void;
  /** Whether rows of one of the projects lack events until its release. `group`: the main group if absent. */
  isQuarantined(projectIds: readonly string[], group?: string): boolean;
  /** The log has lost events, so known positions may be too high. `head`: of the log. */
  beginEpoch(head: bigint): void;
  /** How often the connection that reports positions was lost. After that, known rows may be lost too. */
  gaps(): number;
  /**
   * Changes when rows can change without a new event: a promotion, a quarantine or its end, a repair, lost commits.
   */
  continuity(): number;
  /**
   * Up to where the rows of these projects, or of all, contain the log; -1n if there is no live projection version.
   * `group`: the main group if absent.
   */
  position(projectIds?: readonly string[], group?: string): bigint;
  /** Whether the shards of these projects, or one of all, have stopped following the log. */
  isStopped(projectIds?: readonly string[]): boolean;
  /**
   * Schema of the live projection version of a group. @throws ReadModelNotReadyError if there is none that this code
   * can read
   */
  schema(groupName: string): string;
  /** Waits until every group, or the given ones, have a live projection version that this code can read. */
  ready(groupNames?: readonly string[]): Promise<void>;
  close(): Promise<void>;
};

/** The first projection version, or the first one with new tables, is still being built. */
export class ReadModelNotReadyError extends Error {
  constructor(groupName: string) {
    super(`the read models of ${groupName} are still being built`);
    this.name = 'ReadModelNotReadyError';
  }
}

type Parts = { pool: Pool; listener: Listener; groups: readonly ProjectionGroup[]; logger: Logger };
/** `revisions`: of the quarantine, by shard. */
type Known = { id: number; positions: ShardPositions; revisions: bigint[]; quarantine: Quarantine };
type Live = Known & { schema: string; stopped: boolean[] };
/** Another projection version that some processes read now, because it is being promoted or replaced. */
type Passing = Known & { until: number };

/** Tracks the live projection versions and their positions, by notifications from the projectors. */
export async function createReadModels({ pool, listener, groups, logger }: Parts): Promise<ReadModels> {
  const live = new Map<string, Live>();
  let passing: readonly Passing[] = [];
  const waiters = createWaiters(refreshQuietly, pollMs);
  const readyWaiters = new Set<{ isReady: () => boolean; resolve: () => void }>();
  const [mainGroup] = groups;
  /** Projection versions with events that the log has lost. */
  const ahead = new Set<number>();
  let gaps = 0;
  let continuity = 0;
  /** Up to where this process has followed the log. */
  let followed = -1n;

  let looking: Promise<void> = Promise.resolve();
  /** One look at a time: a late result of an older look would undo a promotion. */
  function refresh(options: { isAfterGap?: boolean } = {}): Promise<void> {
    const look = looking.then(() => lookAtProjectionVersions(options));
    looking = look.catch(() => undefined);
    return look;
  }

  async function lookAtProjectionVersions({ isAfterGap = false }: { isAfterGap?: boolean }): Promise<void> {
    const projectionVersions = await listProjectionVersions(pool, null);
    for (const group of groups) {
      const current = projectionVersions.find(({ groupName, status }) => groupName === group.name && status === 'live');
      if (current && canRead(group.tables, current.tables)) setLive(group.name, current, isAfterGap);
      else live.delete(group.name);
    }
    setPassing(projectionVersions, isAfterGap);
    waiters.settle();
    for (const { isReady, resolve } of readyWaiters) if (isReady()) resolve();
  }

  function setLive(groupName: string, version: ProjectionVersion, isAfterGap: boolean): void {
    const { schema, shards } = version;
    // An older look must not move what is known back. But a database that crashed may have lost its last read-model
    // commits, which nobody waits for.
    const known = live.get(groupName);
    const current = update(isAfterGap ? undefined : findKnown(version), version);
    if (known?.id !== version.id || known.quarantine.revision !== current.quarantine.revision) continuity += 1;
    live.set(groupName, { ...current, schema, stopped: shards.map(({ stopped }) => stopped !== null) });
  }

  const findKnown = ({ id }: Pick<ProjectionVersion, 'id'>): Known | undefined =>
    [...live.values(), ...passing].find((known) => known.id === id);

  function setPassing(projectionVersions: readonly ProjectionVersion[], isAfterGap: boolean): void {
    const until = performance.now() + promotionMs;
    passing = projectionVersions
      .filter(({ groupName, status }) => groupName === mainGroup?.name && status !== 'live')
      .filter(({ isPromoting, stopped }) => isPromoting && !stopped)
      .map((version) => ({ ...update(isAfterGap ? undefined : findKnown(version), version), until }));
  }

  /** What is known of a projection version, or of a newly read one. */
  function update(known: Known | undefined, { id, shards, quarantine }: ProjectionVersion): Known {
    const read = shards.map(({ position }) => position);
    const revisions = shards.map((shard) => shard.quarantine.revision);
    if (!known) {
      const positions = createShardPositions(read, { shared: mainGroup?.shared?.projectId, followed });
      return { id, positions, revisions, quarantine };
    }
    for (const [shard, position] of read.entries()) known.positions.advance(shard, position);
    const isNewer = revisions.some((revision, shard) => revision > (known.revisions[shard] ?? 0n));
    return { ...known, ...(isNewer && { revisions, quarantine }) };
  }

  /** All projection versions of a group that some process can read; of other groups than main, only this one. */
  function readVersions(groupName = mainGroup?.name): readonly Known[] | null {
    const current = groupName === undefined ? undefined : live.get(groupName);
    if (!current || ahead.has(current.id)) return null;
    if (groupName !== mainGroup?.name) return [current];
    if (passing.length > 0) passing = passing.filter(({ until }) => until > performance.now());
    return [current, ...passing];
  }

  /** Once per projection version, also while one is both. */
  const tracked = (): ReadonlySet<ShardPositions> =>
    new Set([...live.values(), ...passing].map(({ positions }) => positions));

  function placeOf(event: Recorded, scopesOf: (event: Recorded) => ReadonlySet<string>): EventPlace {
    const { projectId } = event.metadata;
    const shared = mainGroup?.shared?.projectId;
    return {
      position: event.position,
      projectId,
      isForAll: mainGroup !== undefined && reachesOtherShards(mainGroup, event),
      isShared: shared !== undefined && scopesOf(event).has(shared),
    };
  }

  function onProjected(payload: string): void {
    const [id, position = 0, status, revision = 0, shard = 0] = payload.split(' ');
    const to = { shard: Number(shard), position: BigInt(position), revision: BigInt(revision) };
    for (const current of passing) if (current.id === Number(id)) advance(current, to);
    for (const current of live.values()) {
      if (current.id !== Number(id)) continue;
      if (status === 'live') {
        advance(current, to);
        current.stopped[to.shard] = false;
      } else {
        // A promotion happened that we have not read yet, so this position is not the live version's.
        refreshQuietly();
      }
    }
    waiters.settle();
  }

  type Announced = { shard: number; position: bigint; revision: bigint };
  function advance({ revisions, positions }: Known, { shard, position, revision }: Announced): void {
    // The rows of a project may lack events from now on, so nothing is reached before we know of which one.
    if (revision > (revisions[shard] ?? 0n)) refreshQuietly();
    else positions.advance(shard, position);
  }

  function isQuarantined(projectIds: readonly string[], groupName = mainGroup?.name): boolean {
    const current = groupName === undefined ? undefined : live.get(groupName);
    const others = groupName === mainGroup?.name ? passing : [];
    const read = current ? [current, ...others] : others;
    return read.some(({ quarantine }) => projectIds.some((projectId) => quarantine.waiting.has(projectId)));
  }

  function refreshQuietly(options?: { isAfterGap: boolean }): void {
    refresh(options).catch((error: unknown) =>
      logger.warn({ err: error }, 'could not read the state of the read models'),
    );
  }

  /** A database that crashed may have lost its last read-model commits, so nothing is known until it responds. */
  function forgetPositions(): void {
    gaps += 1;
    continuity += 1;
    for (const positions of tracked()) positions.forget();
  }

  async function findVersionsAhead(head: bigint): Promise<void> {
    await refresh({ isAfterGap: true });
    for (const { id, shards } of await listProjectionVersions(pool, null)) {
      if (shards.some(({ position }) => position > head)) ahead.add(id);
    }
  }

  const stops = await Promise.all([
    listener.listen(projectedChannel, onProjected, () => refreshQuietly({ isAfterGap: true }), forgetPositions),
    listener.listen(
      projectionVersionsChannel,
      () => {
        continuity += 1;
        refreshQuietly();
      },
      // The announcement of a repair may have been missed.
      () => {
        continuity += 1;
      },
    ),
  ]);
  await refresh();

  return {
    reached: async (position, timeoutMs = answerAfterMs, projectIds = [], { isOwnWrite = false, group } = {}) => {
      if (position === null) return 'reached';
      if (isQuarantined(projectIds, group)) return 'behind';
      const isIn = ({ positions }: Known) =>
        isOwnWrite ? positions.contains(position, projectIds) : positions.position(projectIds) >= position;
      const isReached = () => readVersions(group)?.every(isIn) ?? false;
      if (!isReached() && (await waiters.waitUntil(isReached, timeoutMs)) === 'behind') return 'behind';
      return isQuarantined(projectIds, group) ? 'behind' : 'reached';
    },
    followLog: (tail, scopesOf) => {
      tail.add({
        begin: (head) => {
          followed = head;
          for (const positions of tracked()) positions.begin(head);
        },
        see: (events) => {
          followed = events.at(-1)?.position ?? followed;
          for (const positions of tracked()) positions.see(events, (event) => placeOf(event, scopesOf));
          waiters.settle();
        },
        end: () => undefined,
      });
    },
    isQuarantined,
    beginEpoch: (head) => {
      forgetPositions();
      findVersionsAhead(head).catch((error: unknown) =>
        logger.warn({ err: error }, 'could not read the state of the read models'),
      );
    },
    gaps: () => gaps,
    continuity: () => continuity,
    position: (projectIds, group = mainGroup?.name) => {
      const current = group === undefined ? undefined : live.get(group);
      return current && !ahead.has(current.id) ? current.positions.position(projectIds) : -1n;
    },
    isStopped: (projectIds = []) => {
      const { stopped = [] } = (mainGroup && live.get(mainGroup.name)) ?? {};
      const of = projectIds.map((projectId) => shardOf(projectId, stopped.length));
      return stopped.some((isStopped, shard) => isStopped && (of.length === 0 || of.includes(shard)));
    },
    schema: (groupName) => live.get(groupName)?.schema ?? notReady(groupName),
    ready: async (groupNames = groups.map(({ name }) => name)) => {
      const isReady = () => groupNames.every((name) => live.has(name));
      while (!isReady()) {
        await new Promise<void>((resolve) => {
          const done = () => {
            readyWaiters.delete(waiter);
            clearTimeout(timer);
            resolve();
          };
          const waiter = { isReady, resolve: done };
          const timer = setTimeout(done, pollMs);
          readyWaiters.add(waiter);
        });
        await refresh();
      }
    },
    close: async () => {
      waiters.close();
      await Promise.all(stops.map((stop) => stop()));
    },
  };
}

function notReady(groupName: string): never {
  throw new ReadModelNotReadyError(groupName);
}
