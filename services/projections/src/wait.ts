import type { Listener } from '@gatebook/runtime/listener';
import type { Logger } from '@gatebook/runtime/logger';
import type { Pool } from '@gatebook/runtime/postgres';
import type { ProjectionGroup } from './projection-group.ts';
import {
  canRead,
  listProjectionVersions,
  type ProjectionVersion,
  projectionVersionsChannel,
  promotionMs,
} from './projection-versions.ts';
import { projectedChannel } from './projector.ts';
import type { Quarantine } from './quarantine/quarantine.ts';

/** How long a response waits for its own write (architecture §5). */
export const answerAfterMs = 2000;
/** Waiters poll this often, in case a notification is lost. */
const pollMs = 250;

export type ReadModels = {
  /**
   * Waits until the live projection version has passed `position`. Null means that nothing was written, so it is always
   * reached. `behind` at once if one of the projects is quarantined, because its rows lack events.
   */
  reached(position: bigint | null, timeoutMs?: number, projectIds?: readonly string[]): Promise<'reached' | 'behind'>;
  /** Whether rows of one of the projects lack events until the project is released. */
  isQuarantined(projectIds: readonly string[]): boolean;
  /** The log has lost events, so known positions may be too high. `head`: of the log. */
  beginEpoch(head: bigint): void;
  /** How often the connection that reports positions was lost. After that, known rows may be lost too. */
  gaps(): number;
  /**
   * Changes when rows can change without a new event: a promotion, a quarantine or its end, a repair, lost commits.
   */
  continuity(): number;
  /** Known position of the live projection version; -1n if there is none. */
  position(): bigint;
  /** Whether the live projection version has met an event that it cannot apply. */
  isStopped(): boolean;
  /**
   * Schema of the live projection version of a group. @throws ReadModelNotReadyError if there is none that this code
   * can read
   */
  schema(groupName: string): string;
  /** Waits until every group, or the given ones, have a live projection version that this code can read. */
  ready(setNames?: readonly string[]): Promise<void>;
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
type Live = { id: number; schema: string; position: bigint; isStopped: boolean; quarantine: Quarantine };
/** Another projection version that some processes read now, because it is being promoted or replaced. */
type Passing = { id: number; position: bigint; until: number; quarantine: Quarantine };
type Waiter = { position: bigint; resolve: () => void };

/** Tracks the live projection versions and their positions, by notifications from the projectors. */
export async function createReadModels({ pool, listener, groups, logger }: Parts): Promise<ReadModels> {
  const live = new Map<string, Live>();
  let passing: readonly Passing[] = [];
  const waiters = new Set<Waiter>();
  const readyWaiters = new Set<{ isReady: () => boolean; resolve: () => void }>();
  const [mainGroup] = groups;
  /** Projection versions with events that the log has lost. */
  const ahead = new Set<number>();
  let gaps = 0;
  let continuity = 0;
  let poll: NodeJS.Timeout | undefined;

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
    settle();
    for (const { isReady, resolve } of readyWaiters) if (isReady()) resolve();
  }

  function setLive(groupName: string, version: ProjectionVersion, isAfterGap: boolean): void {
    const { id, schema, stopped } = version;
    const known = live.get(groupName);
    // An older look must not move what is known back. But a database that crashed may have lost its last read-model
    // commits, which nobody waits for.
    const { position, quarantine } = known?.id === id && !isAfterGap ? newer(known, version) : version;
    if (known?.id !== id || known.quarantine.revision !== quarantine.revision) continuity += 1;
    live.set(groupName, { id, schema, position, quarantine, isStopped: stopped !== null });
  }

  function setPassing(projectionVersions: readonly ProjectionVersion[], isAfterGap: boolean): void {
    const until = performance.now() + promotionMs;
    const known = new Map(isAfterGap ? [] : passing.map((one) => [one.id, one]));
    passing = projectionVersions
      .filter(({ groupName, status }) => groupName === mainGroup?.name && status !== 'live')
      .filter(({ isPromoting, stopped }) => isPromoting && !stopped)
      .map((version) => ({ id: version.id, until, ...newer(known.get(version.id) ?? version, version) }));
  }

  /** The lowest position of all projection versions that some process can read. */
  function commonPosition(): bigint {
    const current = mainGroup && live.get(mainGroup.name);
    if (!current || ahead.has(current.id)) return -1n;
    if (passing.length === 0) return current.position;
    passing = passing.filter(({ until }) => until > performance.now());
    return passing.reduce((least, { position }) => (position < least ? position : least), current.position);
  }

  function onProjected(payload: string): void {
    const [id, position = 0, status, revision = 0] = payload.split(' ');
    const to = { position: BigInt(position), revision: BigInt(revision) };
    for (const current of passing) if (current.id === Number(id)) advance(current, to);
    for (const current of live.values()) {
      if (current.id !== Number(id)) continue;
      if (status === 'live') {
        advance(current, to);
        current.isStopped = false;
      } else {
        // A promotion happened that we have not read yet, so this position is not the live version's.
        refreshQuietly();
      }
    }
    settle();
  }

  function advance(current: Live | Passing, { position, revision }: { position: bigint; revision: bigint }): void {
    // The rows of a project may lack events from now on, so nothing is reached before we know of which one.
    if (revision > current.quarantine.revision) refreshQuietly();
    else if (position > current.position) current.position = position;
  }

  function isQuarantined(projectIds: readonly string[]): boolean {
    const current = mainGroup && live.get(mainGroup.name);
    const read = current ? [current, ...passing] : passing;
    return read.some(({ quarantine }) => projectIds.some((projectId) => quarantine.waiting.has(projectId)));
  }

  function settle(): void {
    const position = commonPosition();
    for (const waiter of waiters) {
      if (waiter.position > position) continue;
      waiters.delete(waiter);
      waiter.resolve();
    }
    if (waiters.size === 0 && poll) {
      clearInterval(poll);
      poll = undefined;
    } else if (waiters.size > 0) poll ??= setInterval(() => refreshQuietly(), pollMs);
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
    for (const current of live.values()) current.position = -1n;
    for (const current of passing) current.position = -1n;
  }

  async function findVersionsAhead(head: bigint): Promise<void> {
    await refresh({ isAfterGap: true });
    for (const { id, position } of live.values()) if (position > head) ahead.add(id);
  }

  function waitUntil(position: bigint, timeoutMs: number): Promise<'reached' | 'behind'> {
    return new Promise((resolve) => {
      const waiter: Waiter = {
        position,
        resolve: () => {
          clearTimeout(timer);
          resolve('reached');
        },
      };
      const timer = setTimeout(() => {
        waiters.delete(waiter);
        settle();
        resolve('behind');
      }, timeoutMs);
      waiters.add(waiter);
      settle();
    });
  }

  const stops = await Promise.all([
    listener.listen(projectedChannel, onProjected, () => refreshQuietly({ isAfterGap: true }), forgetPositions),
    listener.listen(
      projectionVersionsChannel,
      () => {
        continuity += 1;
        refreshQuietly();
      },
      () => undefined,
    ),
  ]);
  await refresh();

  return {
    reached: async (position, timeoutMs = answerAfterMs, projectIds = []) => {
      if (position === null) return 'reached';
      if (isQuarantined(projectIds)) return 'behind';
      if (commonPosition() < position && (await waitUntil(position, timeoutMs)) === 'behind') return 'behind';
      return isQuarantined(projectIds) ? 'behind' : 'reached';
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
    position: () => {
      const current = mainGroup && live.get(mainGroup.name);
      return current && !ahead.has(current.id) ? current.position : -1n;
    },
    isStopped: () => (mainGroup && live.get(mainGroup.name)?.isStopped) ?? false,
    schema: (groupName) => live.get(groupName)?.schema ?? notReady(groupName),
    ready: async (setNames = groups.map(({ name }) => name)) => {
      const isReady = () => setNames.every((name) => live.has(name));
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
      if (poll) clearInterval(poll);
      await Promise.all(stops.map((stop) => stop()));
    },
  };
}

type Known = { position: bigint; quarantine: Quarantine };

const newer = (one: Known, other: Known): Known => ({
  position: one.position > other.position ? one.position : other.position,
  quarantine: one.quarantine.revision > other.quarantine.revision ? one.quarantine : other.quarantine,
});

function notReady(groupName: string): never {
  throw new ReadModelNotReadyError(groupName);
}
