import type { Recorded } from '@gatebook/domain/event';
import type { LogTail } from '@gatebook/projections/log-tail';
import type { Peers } from '@gatebook/projections/peers/peers';
import type { ProjectAccess } from '@gatebook/readmodel/projects/queries';

export type { ProjectAccess };

export type ProjectAccessCache = {
  /** Configuration and active keys of a project; null for an unknown project. */
  find(projectId: string): Promise<ProjectAccess | null>;
  /** Reads the project table, for a health check. @throws Error when it can't be read */
  check(): Promise<void>;
  /** The next `find` in this process sees the write at `position`. Once this resolves, `find` in any process does. */
  forget(projectId: string, position: bigint | null): Promise<void>;
};

type Parts = {
  tail: LogTail;
  peers: Pick<Peers, 'canCache' | 'announce' | 'allPassed'>;
  load(projectId: string): Promise<ProjectAccess | null>;
  reached(position: bigint | null): Promise<'reached' | 'behind'>;
};

const maxProjects = 10_000;

/**
 * Caches projects in memory, so that authentication needs no query. Unknown IDs are cached too. Events of a project
 * invalidate its entry, which is then only loaded from rows that include the event. A write to a project waits until
 * every process has invalidated it (docs/decisions/0015).
 */
export function createProjectAccessCache({ tail, peers, load, reached }: Parts): ProjectAccessCache {
  const entries = new Map<string, Promise<ProjectAccess | null>>();
  const changedAt = new Map<string, bigint>();

  function drop(projectId: string, position: bigint | null): void {
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

  function see(events: readonly Recorded[]): void {
    let newest: bigint | null = null;
    for (const { stream, metadata, data, position } of events) {
      if (!/^project(key)?-/.test(stream)) continue;
      drop(typeof data.projectId === 'string' ? data.projectId : metadata.projectId, position);
      newest = position;
    }
    if (newest !== null) peers.announce(newest);
  }

  tail.add({ begin: () => entries.clear(), see, end: () => entries.clear() });

  return {
    find: async (projectId) => {
      if (!peers.canCache()) return fetch(projectId);
      const known = entries.get(projectId);
      if (known) return known;
      const access = fetch(projectId);
      remember(projectId, access);
      return access;
    },
    check: async () => {
      await load('internal');
    },
    forget: async (projectId, position) => {
      drop(projectId, position);
      if (position !== null) await peers.allPassed(position);
    },
  };
}
