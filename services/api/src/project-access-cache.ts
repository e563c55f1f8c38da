import type { Recorded } from '@gatebook/domain/event';
import type { LogTail } from '@gatebook/projections/log-tail';
import type { Peers } from '@gatebook/projections/peers/peers';
import type { ProjectAccess } from '@gatebook/readmodel/projects/queries';
import { createLruCache } from '@gatebook/runtime/lru-cache';

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
  reached(position: bigint | null, projectId: string): Promise<'reached' | 'behind'>;
  onLookup?: (isCached: boolean) => void;
};

/** A typical project takes 2 kB, one with 3,000 domains about 500 kB. */
const maxCachedBytes = 67_108_864;
/** An entry of the cache without its ID and its project. */
const entryBytes = 500;
/** Objects in memory take about twice the size of their JSON. Unknown IDs can be as long as a body. */
const sizeInMemory = (projectId: string, access: ProjectAccess | null) =>
  entryBytes + 2 * (projectId.length + JSON.stringify(access).length);
const maxRememberedChanges = 10_000;

/**
 * Caches projects in memory, so that authentication needs no query. Unknown IDs are cached too. Events of a project
 * invalidate its entry, which is then only loaded from rows that include the event. A write to a project waits until
 * every process has invalidated it (docs/decisions/0015).
 */
export function createProjectAccessCache(parts: Parts): ProjectAccessCache {
  const { tail, peers, load, reached, onLookup = () => undefined } = parts;
  const loaded = createLruCache<Promise<ProjectAccess | null>>(maxCachedBytes);
  const loading = new Map<string, Promise<ProjectAccess | null>>();
  const changedAt = new Map<string, bigint>();
  /** Every project may have changed up to here, because older changes are not remembered by project. */
  let allChangedAt: bigint | null = null;
  const lastChange = (projectId: string) => changedAt.get(projectId) ?? allChangedAt;

  function forgetEntry(projectId: string): void {
    loading.delete(projectId);
    loaded.delete(projectId);
  }

  function forgetAll(): void {
    loading.clear();
    loaded.clear();
  }

  function drop(projectId: string, position: bigint | null): void {
    forgetEntry(projectId);
    if (position === null) return;
    const before = changedAt.get(projectId);
    changedAt.delete(projectId);
    changedAt.set(projectId, before !== undefined && before > position ? before : position);
    const [oldest] = changedAt.size > maxRememberedChanges ? changedAt : [];
    if (!oldest) return;
    changedAt.delete(oldest[0]);
    if (allChangedAt === null || oldest[1] > allChangedAt) allChangedAt = oldest[1];
  }

  async function fetch(projectId: string): Promise<ProjectAccess | null> {
    for (;;) {
      const position = lastChange(projectId);
      const state = await reached(position, projectId);
      const access = await load(projectId);
      if (lastChange(projectId) !== position) continue;
      if (state === 'behind') forgetEntry(projectId);
      else changedAt.delete(projectId);
      return access;
    }
  }

  /** Shares a load among all who wait for it, and keeps its result unless the project has changed meanwhile. */
  function remember(projectId: string, access: Promise<ProjectAccess | null>): void {
    loading.set(projectId, access);
    access.then(
      (found) => {
        if (loading.get(projectId) !== access) return;
        loading.delete(projectId);
        loaded.set(projectId, access, sizeInMemory(projectId, found));
      },
      () => {
        if (loading.get(projectId) === access) loading.delete(projectId);
      },
    );
  }

  function see(events: readonly Recorded[]): void {
    let newest: bigint | null = null;
    for (const event of events) {
      if (!/^project(key)?-/.test(event.stream)) continue;
      const named = event.unreadable ? null : event.data.projectId;
      drop(typeof named === 'string' ? named : event.metadata.projectId, event.position);
      newest = event.position;
    }
    if (newest !== null) peers.announce(newest);
  }

  function begin(head: bigint): void {
    forgetAll();
    // A change above the head was lost with the end of the log.
    for (const [projectId, position] of changedAt) if (position > head) changedAt.set(projectId, head);
    if (allChangedAt !== null && allChangedAt > head) allChangedAt = head;
  }

  tail.add({ begin, see, end: forgetAll });

  return {
    find: async (projectId) => {
      const known = peers.canCache() ? (loading.get(projectId) ?? loaded.get(projectId)) : undefined;
      onLookup(known !== undefined);
      if (known) return known;
      if (!peers.canCache()) return fetch(projectId);
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
