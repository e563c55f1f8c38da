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

/** How long a response waits for its own write (architecture §5). */
export const answerAfterMs = 2000;
/** Waiters poll this often, in case a notification is lost. */
const pollMs = 250;

export type ReadModels = {
  /**
   * Waits until the live projection version has passed `position`. Null means that nothing was written, so it is always
   * reached.
   */
  reached(position: bigint | null, timeoutMs?: number): Promise<'reached' | 'behind'>;
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
type Live = { id: number; schema: string; position: bigint; isStopped: boolean };
/** Another projection version that some processes read now, because it is being promoted or replaced. */
type Passing = { id: number; position: bigint; until: number };
type Waiter = { position: bigint; resolve: () => void };

/** Tracks the live projection versions and their positions, by notifications from the projectors. */
export async function createReadModels({ pool, listener, groups, logger }: Parts): Promise<ReadModels> {
  const live = new Map<string, Live>();
  let passing: readonly Passing[] = [];
  const waiters = new Set<Waiter>();
  const readyWaiters = new Set<{ isReady: () => boolean; resolve: () => void }>();
  const [mainGroup] = groups;
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

  function setLive(groupName: string, { id, schema, position, stopped }: ProjectionVersion, isAfterGap: boolean): void {
    const known = live.get(groupName);
    // An older look must not move a known position back. But a database that crashed may have lost its last read-model
    // commits, which nobody waits for.
    const isAhead = known?.id === id && known.position > position && !isAfterGap;
    const furthest = isAhead ? known.position : position;
    live.set(groupName, { id, schema, position: furthest, isStopped: stopped !== null });
  }

  function setPassing(projectionVersions: readonly ProjectionVersion[], isAfterGap: boolean): void {
    const until = performance.now() + promotionMs;
    const known = new Map(passing.map(({ id, position }) => [id, isAfterGap ? 0n : position]));
    passing = projectionVersions
      .filter(({ groupName, status }) => groupName === mainGroup?.name && status !== 'live')
      .filter(({ isPromoting, stopped }) => isPromoting && !stopped)
      .map(({ id, position }) => ({ id, position: larger(position, known.get(id) ?? 0n), until }));
  }

  /** The lowest position of all projection versions that some process can read. */
  function commonPosition(): bigint {
    const current = mainGroup && live.get(mainGroup.name);
    if (!current) return -1n;
    if (passing.length === 0) return current.position;
    passing = passing.filter(({ until }) => until > performance.now());
    return passing.reduce((least, { position }) => (position < least ? position : least), current.position);
  }

  function onProjected(payload: string): void {
    const [id, position = 0, status] = payload.split(' ');
    for (const current of passing) {
      if (current.id === Number(id) && BigInt(position) > current.position) current.position = BigInt(position);
    }
    for (const current of live.values()) {
      if (current.id !== Number(id)) continue;
      if (status === 'live') {
        if (BigInt(position) > current.position) current.position = BigInt(position);
        current.isStopped = false;
      } else {
        // A promotion happened that we have not read yet, so this position is not the live version's.
        refreshQuietly();
      }
    }
    settle();
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

  const stops = await Promise.all([
    listener.listen(projectedChannel, onProjected, () => refreshQuietly({ isAfterGap: true })),
    listener.listen(
      projectionVersionsChannel,
      () => refreshQuietly(),
      () => undefined,
    ),
  ]);
  await refresh();

  return {
    reached: async (position, timeoutMs = answerAfterMs) => {
      if (position === null || commonPosition() >= position) return 'reached';
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
    },
    position: () => (mainGroup && live.get(mainGroup.name)?.position) ?? -1n,
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

const larger = (a: bigint, b: bigint) => (a > b ? a : b);

function notReady(groupName: string): never {
  throw new ReadModelNotReadyError(groupName);
}
