import type { FeedSubscriber, FollowParts } from './feed-subscriber.ts';

const retryMs = 1_000;
/** Projects are independent: a slow one does not hold up the others. */
const projectsAtOnce = 4;

/** Projects with events that have yet to be taken, each up to a position. */
export function createDirtyProjects(
  { readModels, logger }: Pick<FollowParts, 'readModels' | 'logger'>,
  { name, take, delayMs = 0 }: FeedSubscriber,
  signal: AbortSignal,
) {
  const waiting = new Map<string, bigint>();
  /** Those that have waited for long enough. */
  const due = new Set<string>();
  const running = new Map<string, Promise<void>>();
  const timers = new Map<string, NodeJS.Timeout>();

  async function takeUpTo(projectId: string, position: bigint): Promise<void> {
    const groups = ['events', 'main'];
    const states = await Promise.all(
      groups.map((group) => readModels.reached(position, undefined, [projectId], { group })),
    );
    const isBehind = states.includes('behind');
    const hasMore = await take(projectId, isBehind);
    if (isBehind) again(projectId, position);
    else if (hasMore) {
      // After those that wait already.
      if (!waiting.has(projectId)) waiting.set(projectId, position);
      due.add(projectId);
    }
  }

  function startLater(projectId: string, ms: number): void {
    if (timers.has(projectId)) return;
    const timer = setTimeout(() => {
      timers.delete(projectId);
      due.add(projectId);
      start();
    }, ms);
    timers.set(projectId, timer);
  }

  /** Later, without holding up other projects. */
  function again(projectId: string, position: bigint): void {
    if (!waiting.has(projectId)) waiting.set(projectId, position);
    startLater(projectId, retryMs);
  }

  function start(): void {
    for (const [projectId, position] of waiting) {
      if (signal.aborted || running.size >= projectsAtOnce) return;
      if (running.has(projectId) || !due.has(projectId)) continue;
      waiting.delete(projectId);
      due.delete(projectId);
      const taking = takeUpTo(projectId, position)
        .catch((error: unknown) => {
          logger.warn({ err: error, projectId }, `could not take events for ${name}, retrying`);
          again(projectId, position);
        })
        .finally(() => {
          running.delete(projectId);
          start();
        });
      running.set(projectId, taking);
    }
  }

  return {
    add: (projectId: string, position: bigint) => {
      waiting.set(projectId, position);
      if (delayMs > 0) return startLater(projectId, delayMs);
      due.add(projectId);
      start();
    },
    ended: async () => {
      await Promise.all(running.values());
      for (const timer of timers.values()) clearTimeout(timer);
    },
  };
}
