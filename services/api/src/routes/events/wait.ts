import type { LogTail } from '@gatebook/projections/log-tail';
import { projectsOf } from '@gatebook/readmodel/project-scopes';
import type { Deps } from '../../deps.ts';

type Waiter = (position: bigint) => void;

const waiters = new WeakMap<LogTail, Map<string, Set<Waiter>>>();

/** Those who wait for an event of a project, in this process. */
function waitersOf(tail: LogTail): Map<string, Set<Waiter>> {
  const known = waiters.get(tail);
  if (known) return known;
  const byProject = new Map<string, Set<Waiter>>();
  const wake = (projectId: string, position: bigint) => {
    for (const resolve of byProject.get(projectId) ?? []) resolve(position);
  };
  tail.add({
    begin: (head) => {
      for (const projectId of byProject.keys()) wake(projectId, head);
    },
    see: (events) => {
      if (byProject.size === 0) return;
      for (const event of events) for (const projectId of projectsOf(event)) wake(projectId, event.position);
    },
    end: () => undefined,
  });
  waiters.set(tail, byProject);
  return byProject;
}

/**
 * Begins to wait for the next event of a project that this process sees. `next` resolves to its position, or to null
 * after `ms` or once the signal aborts. Nothing is polled. Call `stop` in the end.
 */
export function expectEvent(tail: LogTail, projectId: string) {
  const byProject = waitersOf(tail);
  const ofProject = byProject.get(projectId) ?? new Set();
  byProject.set(projectId, ofProject);
  let seen: bigint | null = null;
  let wake: (() => void) | undefined;
  const waiter: Waiter = (position) => {
    seen = position;
    wake?.();
  };
  ofProject.add(waiter);
  return {
    async next(ms: number, signal: AbortSignal): Promise<bigint | null> {
      if (seen === null && !signal.aborted) {
        await new Promise<void>((resolve) => {
          const stop = () => {
            clearTimeout(timer);
            signal.removeEventListener('abort', stop);
            resolve();
          };
          const timer = setTimeout(stop, ms).unref();
          signal.addEventListener('abort', stop);
          wake = stop;
        });
      }
      const position = seen;
      seen = null;
      return position;
    },
    stop(): void {
      ofProject.delete(waiter);
      if (ofProject.size === 0 && byProject.get(projectId) === ofProject) byProject.delete(projectId);
    },
  };
}

/** Waits until the feed of a project contains the log up to a position. */
export async function feedReached(
  { readModels }: Pick<Deps, 'readModels'>,
  projectId: string,
  position: bigint | null,
  timeoutMs?: number,
): Promise<'reached' | 'behind'> {
  const states = await Promise.all([
    readModels.reached(position, timeoutMs, [projectId], { group: 'events' }),
    readModels.reached(position, timeoutMs, [projectId]),
  ]);
  return states.includes('behind') ? 'behind' : 'reached';
}
