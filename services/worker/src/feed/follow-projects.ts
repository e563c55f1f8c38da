import type { Recorded } from '@gatebook/domain/event';
import { ReadModelNotReadyError } from '@gatebook/projections/wait';
import { projectsOf } from '@gatebook/readmodel/project-scopes';
import { pause } from '@gatebook/runtime/pause';
import { createDirtyProjects } from './dirty-projects.ts';
import type { FeedSubscriber, FollowParts } from './feed-subscriber.ts';

const retryMs = 1_000;
/** What was defined while its project was quarantined is known once it is not any more. */
const lookEveryMs = 5_000;

/**
 * Takes new events of all projects, until `signal` aborts. Woken by the process's view of the log. Only the leading
 * worker does it; if two do, each event must still be taken once.
 */
export async function followProjects(
  parts: FollowParts,
  createSubscriber: (signal: AbortSignal) => FeedSubscriber,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    const ended = new AbortController();
    const either = AbortSignal.any([signal, ended.signal]);
    const subscriber = createSubscriber(either);
    try {
      await followOnce(parts, subscriber, { signal, ended, either });
    } catch (error) {
      const isStarting = error instanceof ReadModelNotReadyError;
      if (!isStarting) parts.logger.warn({ err: error }, `could not follow the log for ${subscriber.name}, retrying`);
      await pause(retryMs, signal);
    }
  }
}

type Signals = { signal: AbortSignal; ended: AbortController; either: AbortSignal };

async function followOnce(
  parts: FollowParts,
  subscriber: FeedSubscriber,
  { signal, ended, either }: Signals,
): Promise<void> {
  const { store } = parts;
  const head = await store.head();
  const projects = createDirtyProjects(parts, subscriber, either);
  // Projects are read after the head, so none is missed, if the read models have reached it.
  const outcome = await parts.readModels.reached(head);
  const known = new Set<string>();
  const findProjects = async () => {
    for (const projectId of await subscriber.projects()) {
      if (!known.has(projectId)) projects.add(projectId, head);
      known.add(projectId);
    }
  };
  await findProjects();
  const looking = whenRowsAppear(parts, subscriber.name, { head, outcome, find: findProjects });
  try {
    for await (const events of store.subscribe(head, signal, { large: true })) {
      for (const event of events) {
        if (subscriber.showsProject(event)) {
          known.add(projectOf(event));
          subscriber.onShown?.(projectOf(event));
        }
        for (const projectId of projectsOf(event)) if (known.has(projectId)) projects.add(projectId, event.position);
      }
    }
  } finally {
    clearInterval(looking);
    ended.abort();
    await projects.ended();
  }
}

type Search = { head: bigint; outcome: 'reached' | 'behind'; find: () => Promise<void> };

/**
 * Calls `find` until the read models have reached the head, and when there can be rows of events that have passed:
 * after a quarantine, or a repair.
 */
function whenRowsAppear({ readModels, logger }: FollowParts, name: string, { head, outcome, find }: Search) {
  let seen = outcome === 'reached' ? readModels.continuity() : undefined;
  const look = async () => {
    const now = readModels.continuity();
    if (now === seen) return;
    const isReached = (await readModels.reached(head, 0)) === 'reached';
    await find();
    if (isReached) seen = now;
  };
  return setInterval(() => {
    look().catch((error: unknown) => logger.warn({ err: error }, `could not find projects with ${name}, retrying`));
  }, lookEveryMs);
}

/** Data of an event that cannot be read throws. */
const projectOf = (event: Recorded) =>
  !event.unreadable && typeof event.data.projectId === 'string' ? event.data.projectId : event.metadata.projectId;
