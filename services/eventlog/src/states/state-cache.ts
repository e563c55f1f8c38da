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
  /** Does nothing if anything was dropped since `since`, because the state may have been made from that. */
  set(stream: string, remembered: RememberedState, since: number): void;
  delete(stream: string): void;
  /** Drops the states that contain data of a subject; of all subjects by default. */
  forget(subjectId?: string): void;
  /** Increases whenever something is dropped because it is wrong. */
  drops(): number;
};

/** States in memory, at most about `maxBytes` of them. */
export function createStateCache(maxBytes: number): StateCache {
  const cache = createLruCache<RememberedState>(maxBytes);
  let drops = 0;
  return {
    get: cache.get,
    set: (stream, remembered, since) => {
      if (since === drops) cache.set(stream, remembered, entryBytes + sizeOfState(remembered.state));
    },
    delete: cache.delete,
    forget: (subjectId) => {
      drops += 1;
      if (subjectId === undefined) cache.clear();
      else cache.deleteWhere(({ context }) => context.subjects.has(subjectId));
    },
    drops: () => drops,
  };
}

const entryBytes = 500;
const fieldBytes = 32;

/** Approximate size in memory. */
function sizeOfState(value: unknown): number {
  if (typeof value === 'string') return fieldBytes + 2 * value.length;
  if (typeof value !== 'object' || value === null) return fieldBytes;
  let bytes = fieldBytes;
  if (value instanceof Map) {
    for (const [key, inner] of value) bytes += sizeOfState(key) + sizeOfState(inner);
  } else if (Array.isArray(value) || value instanceof Set) {
    for (const inner of value) bytes += sizeOfState(inner);
  } else {
    for (const inner of Object.values(value)) bytes += sizeOfState(inner);
  }
  return bytes;
}
