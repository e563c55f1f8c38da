import type { Recorded } from '@gatebook/domain/event';
import { ReadModelNotReadyError } from '@gatebook/projections/wait';
import { projectsOf } from '@gatebook/readmodel/project-scopes';
import { forgetFailures } from '@gatebook/readmodel/webhooks/attempts';
import { webhooksChannel } from '@gatebook/readmodel/webhooks/delivery-tables';
import { pause } from '@gatebook/runtime/pause';
import type { WebhookParts } from './parts.ts';
import { createShared, takeEvents } from './take-events.ts';

const retryMs = 1_000;
/** Endpoints that were created while their project was quarantined are known once it is not any more. */
const lookEveryMs = 5_000;
/** Projects are independent: a slow one does not hold up the others. */
const projectsAtOnce = 4;

/**
 * Makes messages of new events for all endpoints, until `signal` aborts. Woken by the process's view of the log. Only
 * the leading worker does it; if two do, each event still becomes one message.
 */
export async function followFeed(parts: WebhookParts, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      await followOnce(parts, signal);
    } catch (error) {
      const isStarting = error instanceof ReadModelNotReadyError;
      if (!isStarting) parts.logger.warn({ err: error }, 'could not follow the log for webhooks, retrying');
      await pause(retryMs, signal);
    }
  }
}

async function followOnce(parts: WebhookParts, signal: AbortSignal): Promise<void> {
  const { store, endpoints } = parts;
  const head = await store.head();
  const ended = new AbortController();
  const either = AbortSignal.any([signal, ended.signal]);
  const projects = createDirtyProjects(parts, either);
  // Endpoints are read after the head, so none is missed.
  await parts.readModels.reached(head);
  const known = new Set<string>();
  const findProjects = async () => {
    for (const projectId of await endpoints.projects()) {
      if (!known.has(projectId)) projects.add(projectId, head);
      known.add(projectId);
    }
  };
  await findProjects();
  const looking = whenRowsReappear(parts, findProjects);
  try {
    for await (const events of store.subscribe(head, signal, { large: true })) {
      for (const event of events) {
        if (showsEndpoints(event)) {
          known.add(projectOf(event));
          projects.wakeSenders(projectOf(event));
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

/** Calls `find` when there can be rows of events that have passed: after a quarantine, or a repair. */
function whenRowsReappear({ readModels, logger }: WebhookParts, find: () => Promise<void>) {
  let seen = readModels.continuity();
  return setInterval(() => {
    const now = readModels.continuity();
    if (now === seen) return;
    find().then(
      () => {
        seen = now;
      },
      (error: unknown) => logger.warn({ err: error }, 'could not find projects with webhooks, retrying'),
    );
  }, lookEveryMs);
}

/** Endpoints of a project that awaits its deletion are not listed until it is restored. */
const showsEndpoints = ({ type }: Recorded) => type.startsWith('Webhook') || type === 'ProjectDeletionCanceled';
/** Data of an event that cannot be read throws. */
const projectOf = (event: Recorded) =>
  !event.unreadable && typeof event.data.projectId === 'string' ? event.data.projectId : event.metadata.projectId;

/** Projects with events that have yet to be taken, each up to a position. */
function createDirtyProjects(parts: WebhookParts, signal: AbortSignal) {
  const { readModels, endpoints, logger, pool } = parts;
  const waiting = new Map<string, bigint>();
  const running = new Map<string, Promise<void>>();
  const wakes = new Set<string>();
  const retries = new Set<NodeJS.Timeout>();

  async function take(projectId: string, position: bigint): Promise<void> {
    const groups = ['events', 'main'];
    const states = await Promise.all(
      groups.map((group) => readModels.reached(position, undefined, [projectId], { group })),
    );
    const ofProject = await endpoints.list(projectId);
    const shared = createShared();
    let hasMore = false;
    for (const endpoint of ofProject) {
      if (signal.aborted) return;
      if (!endpoint.isEnabled) await forgetFailures(pool, endpoint.id);
      else hasMore = (await takeEvents(parts, endpoint, signal, shared)) || hasMore;
    }
    const isBehind = states.includes('behind');
    if (!isBehind && wakes.delete(projectId)) await pool.query(`select pg_notify('${webhooksChannel}', '')`);
    if (isBehind) again(projectId, position);
    // After those that wait already.
    else if (hasMore && !waiting.has(projectId)) waiting.set(projectId, position);
  }

  /** Later, without holding up other projects. */
  function again(projectId: string, position: bigint): void {
    const retry = setTimeout(() => {
      retries.delete(retry);
      if (!waiting.has(projectId)) waiting.set(projectId, position);
      start();
    }, retryMs);
    retries.add(retry);
  }

  function start(): void {
    for (const [projectId, position] of waiting) {
      if (signal.aborted || running.size >= projectsAtOnce) return;
      if (running.has(projectId)) continue;
      waiting.delete(projectId);
      const taking = take(projectId, position)
        .catch((error: unknown) => {
          logger.warn({ err: error, projectId }, 'could not take events for webhooks, retrying');
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
      start();
    },
    /** An endpoint may have been enabled, with messages that wait. They are looked for once this is known. */
    wakeSenders: (projectId: string) => void wakes.add(projectId),
    ended: async () => {
      await Promise.all(running.values());
      for (const retry of retries) clearTimeout(retry);
    },
  };
}
