import type { EventStore } from '@gatebook/eventlog/port';
import type { ProjectAccess } from '@gatebook/readmodel/projects/queries';
import type { Logger } from '@gatebook/runtime/logger';

export type { ProjectAccess };

export type ProjectAccessCache = {
  /** Configuration and live keys of a project, null when there is none. */
  find(projectId: string): Promise<ProjectAccess | null>;
  /** Reads the project table, for a health check. @throws Error when it can't be read */
  check(): Promise<void>;
  /** What this process wrote at `position` is seen by the next `find`. */
  forget(projectId: string, position: bigint | null): void;
  /** Follows the log until `signal` aborts, so that what other processes wrote is seen too. */
  follow(signal: AbortSignal): Promise<void>;
};

type Parts = {
  store: EventStore;
  load(projectId: string): Promise<ProjectAccess | null>;
  reached(position: bigint | null): Promise<'reached' | 'behind'>;
  logger: Logger;
};

const maxProjects = 10_000;
const pauseMs = 200;

/**
 * What a request needs to know about its project, in memory, so that authenticating costs no query. Unknown ids are kept
 * too. An entry is dropped by the events of its project, and made again only from rows that have passed that event.
 */
export function createProjectAccessCache({ store, load, reached, logger }: Parts): ProjectAccessCache {
  const entries = new Map<string, Promise<ProjectAccess | null>>();
  const changedAt = new Map<string, bigint>();
  let isFollowing = false;

  function forget(projectId: string, position: bigint | null): void {
    entries.delete(projectId);
    if (position === null) return;
    const before = changedAt.get(projectId);
    changedAt.set(projectId, before !== undefined && before > position ? before : position);
  }

  async function fetch(projectId: string): Promise<ProjectAccess | null> {
    for (;;) {
      const position = changedAt.get(projectId);
      const state = await reached(position ?? null);
      const access = await load(projectId);
      if (changedAt.get(projectId) !== position) continue;
      if (state === 'behind') entries.delete(projectId);
      else changedAt.delete(projectId);
      return access;
    }
  }

  function remember(projectId: string, access: Promise<ProjectAccess | null>): void {
    const oldest = entries.size >= maxProjects ? entries.keys().next() : undefined;
    if (oldest && !oldest.done) entries.delete(oldest.value);
    entries.set(projectId, access);
    access.catch(() => {
      if (entries.get(projectId) === access) entries.delete(projectId);
    });
  }

  async function followOnce(signal: AbortSignal): Promise<void> {
    const from = await store.head();
    entries.clear();
    isFollowing = true;
    for await (const events of store.subscribe(from, signal)) {
      for (const { stream, metadata, data, position } of events) {
        if (!/^project(key)?-/.test(stream)) continue;
        forget(typeof data.projectId === 'string' ? data.projectId : metadata.projectId, position);
      }
    }
  }

  return {
    find: async (projectId) => {
      const known = entries.get(projectId);
      if (known) return known;
      const access = fetch(projectId);
      if (isFollowing) remember(projectId, access);
      return access;
    },
    check: async () => {
      await load('internal');
    },
    forget,
    follow: async (signal) => {
      while (!signal.aborted) {
        try {
          await followOnce(signal);
        } catch (error) {
          logger.warn({ err: error }, 'following the log for project changes failed, trying again');
          await new Promise((resolve) => setTimeout(resolve, pauseMs));
        } finally {
          isFollowing = false;
          entries.clear();
        }
      }
    },
  };
}
