import type { Listener } from '@gatebook/runtime/listener';
import type { Logger } from '@gatebook/runtime/logger';
import type { Pool } from '@gatebook/runtime/postgres';
import { canRead, type Generation, generationsChannel, listGenerations, switchingMs } from './generations.ts';
import { projectedChannel } from './projector.ts';
import type { ReadModelSet } from './sets.ts';

/** How long an answer waits for its own write (architecture §5). */
export const answerAfterMs = 2000;
/** Waiters look by themselves this often, should a notification get lost. */
const pollMs = 250;

export type ReadModels = {
  /** Waits until the live generation has passed `position`; null (nothing was written) is always reached. */
  reached(position: bigint | null, timeoutMs?: number): Promise<'reached' | 'behind'>;
  /** How far the live generation is known to be; -1n while there is none. */
  position(): bigint;
  /** Whether the live generation has met an event that it can't apply. */
  isStopped(): boolean;
  /** Schema of the live generation of a set. @throws ReadModelNotReadyError while there is none that this code can read */
  schema(setName: string): string;
  /** Waits until every set, or those named, have a live generation that this code can read. */
  ready(setNames?: readonly string[]): Promise<void>;
  close(): Promise<void>;
};

/** The first generation, or one of new tables, is still being built. */
export class ReadModelNotReadyError extends Error {
  constructor(setName: string) {
    super(`the read models of ${setName} are still being built`);
    this.name = 'ReadModelNotReadyError';
  }
}

type Parts = { pool: Pool; listener: Listener; sets: readonly ReadModelSet[]; logger: Logger };
type Live = { id: number; schema: string; position: bigint; isStopped: boolean };
/** Another generation that processes may read right now: the one that a switch leads to, or away from. */
type Passing = { id: number; position: bigint; until: number };
type Waiter = { position: bigint; resolve: () => void };

/** Follows which generation is live and how far it is, by notification from whichever process projects. */
export async function createReadModels({ pool, listener, sets, logger }: Parts): Promise<ReadModels> {
  const live = new Map<string, Live>();
  let passing: readonly Passing[] = [];
  const waiters = new Set<Waiter>();
  const readyWaiters = new Set<{ isReady: () => boolean; resolve: () => void }>();
  const [mainSet] = sets;
  let poll: NodeJS.Timeout | undefined;

  let looking: Promise<void> = Promise.resolve();
  /** One look at a time: an older one that came back late would undo a switch. */
  function refresh(options: { isAfterGap?: boolean } = {}): Promise<void> {
    const look = looking.then(() => lookAtGenerations(options));
    looking = look.catch(() => undefined);
    return look;
  }

  async function lookAtGenerations({ isAfterGap = false }: { isAfterGap?: boolean }): Promise<void> {
    const generations = await listGenerations(pool, null);
    for (const set of sets) {
      const current = generations.find(({ setName, status }) => setName === set.name && status === 'live');
      if (current && canRead(set.tables, current.tables)) setLive(set.name, current, isAfterGap);
      else live.delete(set.name);
    }
    setPassing(generations, isAfterGap);
    settle();
    for (const { isReady, resolve } of readyWaiters) if (isReady()) resolve();
  }

  function setLive(setName: string, { id, schema, position, stopped }: Generation, isAfterGap: boolean): void {
    const known = live.get(setName);
    // What has been seen of this generation is not taken back by an older look; but a database that crashed may have lost
    // its last commits of read models, which are not waited for.
    const isAhead = known?.id === id && known.position > position && !isAfterGap;
    const furthest = isAhead ? known.position : position;
    live.set(setName, { id, schema, position: furthest, isStopped: stopped !== null });
  }

  function setPassing(generations: readonly Generation[], isAfterGap: boolean): void {
    const until = performance.now() + switchingMs;
    const known = new Map(passing.map(({ id, position }) => [id, isAfterGap ? 0n : position]));
    passing = generations
      .filter(({ setName, status }) => setName === mainSet?.name && status !== 'live')
      .filter(({ isSwitching, stopped }) => isSwitching && !stopped)
      .map(({ id, position }) => ({ id, position: larger(position, known.get(id) ?? 0n), until }));
  }

  /** How far all have come that somebody may read. */
  function commonPosition(): bigint {
    const current = mainSet && live.get(mainSet.name);
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
        // There was a switch that has not been looked at yet: how far this one has come says nothing about the one that is read.
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
      logger.warn({ err: error }, 'the state of the read models could not be read'),
    );
  }

  const stops = await Promise.all([
    listener.listen(projectedChannel, onProjected, () => refreshQuietly({ isAfterGap: true })),
    listener.listen(
      generationsChannel,
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
    position: () => (mainSet && live.get(mainSet.name)?.position) ?? -1n,
    isStopped: () => (mainSet && live.get(mainSet.name)?.isStopped) ?? false,
    schema: (setName) => live.get(setName)?.schema ?? notReady(setName),
    ready: async (setNames = sets.map(({ name }) => name)) => {
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

function notReady(setName: string): never {
  throw new ReadModelNotReadyError(setName);
}
