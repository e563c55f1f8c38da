import { createLruCache } from '@gatebook/runtime/lru-cache';
import type { FoldContext } from '../decoder.ts';

/** The state of a stream at a revision. */
export type RememberedState<S = unknown> = {
  readonly state: S;
  readonly revision: bigint;
  /** ID of the event at `revision`; null if another program wrote that event. */
  readonly eventId: string | null;
  /** The function that made the state. */
  readonly evolve: unknown;
  /** Names the code that made the state; undefined if its states are not stored. */
  readonly version: string | undefined;
  readonly context: FoldContext;
  /** Revision of the newest snapshot that this process knows of. */
  snapshotAt: bigint;
  /** The stream may have newer events. */
  isOutdated: boolean;
};

export type StateCache = {
  get(stream: string): RememberedState | undefined;
  /** Does nothing if the cache was cleared since `since`, or has a newer state, as after a fold that ended sooner. */
  set(stream: string, remembered: RememberedState, since: number): void;
  delete(stream: string): void;
  /** Drops the states that contain data of a subject. */
  deleteSubject(subjectId: string): void;
  /** Subjects whose data is in the cache. */
  subjects(): Iterable<string>;
  clear(): void;
  /** How often the cache was cleared. */
  clears(): number;
  bytes(): number;
};

/** States in memory, at most about `maxBytes` of them. */
export function createStateCache(maxBytes: number): StateCache {
  const streamsOf = new Map<string, Set<string>>();
  const cache = createLruCache<RememberedState>(maxBytes, removeFromIndex);
  let clears = 0;

  function removeFromIndex(stream: string, { context }: RememberedState): void {
    for (const subject of context.subjects) {
      const streams = streamsOf.get(subject);
      streams?.delete(stream);
      if (streams?.size === 0) streamsOf.delete(subject);
    }
  }

  function addToIndex(stream: string, { context }: RememberedState): void {
    for (const subject of context.subjects) {
      const streams = streamsOf.get(subject);
      if (streams) streams.add(stream);
      else streamsOf.set(subject, new Set([stream]));
    }
  }

  return {
    get: cache.get,
    set: (stream, remembered, since) => {
      if (since !== clears) return;
      const known = cache.get(stream);
      if (known && known.evolve === remembered.evolve && known.revision > remembered.revision) return;
      cache.set(stream, remembered, sizeOf(remembered));
      if (cache.get(stream) === remembered) addToIndex(stream, remembered);
    },
    delete: cache.delete,
    deleteSubject: (subjectId) => {
      for (const stream of streamsOf.get(subjectId) ?? []) cache.delete(stream);
    },
    subjects: () => streamsOf.keys(),
    clear: () => {
      clears += 1;
      cache.clear();
      streamsOf.clear();
    },
    clears: () => clears,
    bytes: cache.bytes,
  };
}

const entryBytes = 1_000;
const fieldBytes = 32;
const collectionBytes = 160;
const subjectBytes = 300;
const largeBytes = 500;

/** Approximate size in memory. */
function sizeOf({ state, context: { subjects, large } }: RememberedState): number {
  return entryBytes + sizeOfState(state) + subjects.size * subjectBytes + large.size * largeBytes;
}

function sizeOfState(value: unknown): number {
  if (typeof value === 'string') return fieldBytes + 2 * value.length;
  if (typeof value !== 'object' || value === null) return fieldBytes;
  let bytes = fieldBytes;
  if (value instanceof Map) {
    bytes += collectionBytes;
    for (const [key, inner] of value) bytes += sizeOfState(key) + sizeOfState(inner);
  } else if (value instanceof Set) {
    bytes += collectionBytes;
    for (const inner of value) bytes += sizeOfState(inner);
  } else {
    for (const inner of Object.values(value)) bytes += sizeOfState(inner);
  }
  return bytes;
}
