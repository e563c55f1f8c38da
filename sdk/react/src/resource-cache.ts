/** The state of one resource. `value` is kept during a refresh, even if it fails. */
export type ResourceState = { value: unknown; error: unknown; isFetching: boolean };
export type ResourceKey = readonly (string | number | boolean | null)[];

export type ResourceCache = {
  state(key: ResourceKey): ResourceState;
  /**
   * Fetches what a component will probably render soon, unless it is loaded or loading. The entry is dropped 5 s later
   * if nobody has subscribed.
   */
  preload(key: ResourceKey, load: () => Promise<unknown>): void;
  /**
   * Called while a component renders without the value. With `fetchesAhead`, fetches it unless it is loading. From now
   * on, the state does not change before the first subscriber, because React would render again what it is rendering.
   */
  prepare(key: ResourceKey, load: () => Promise<unknown>): void;
  /** Fetches the value unless it is loaded or loading. The entry is dropped 5 s after its last subscriber left. */
  subscribe(key: ResourceKey, load: () => Promise<unknown>, listener: () => void): () => void;
  /**
   * Resolves after a fetch that started after this call, or at once if the entry has been dropped. Never rejects:
   * errors are in the state.
   */
  refresh(key: ResourceKey): Promise<void>;
  /** Refreshes every used entry whose key starts with `prefix` and drops the others. */
  invalidate(prefix: ResourceKey): Promise<void>;
  clear(): void;
};

type Entry = {
  key: ResourceKey;
  state: ResourceState;
  /** Nobody has subscribed yet. */
  isNew: boolean;
  /** A component has rendered without the value. */
  isRendered: boolean;
  /** What was fetched between that and the first subscriber. */
  ahead: Partial<ResourceState> | null;
  load: () => Promise<unknown>;
  listeners: Set<() => void>;
  lastStartMs: number;
  running: Promise<void> | null;
  waiting: Promise<void> | null;
  dropTimer: ReturnType<typeof setTimeout> | undefined;
};

const THROTTLE_MS = 300;
const DROP_AFTER_MS = 5_000;
/** The first subscriber starts the fetch, and does not have to render again because of that. */
const emptyState: ResourceState = { value: undefined, error: undefined, isFetching: true };

export type ResourceCacheOptions = {
  now?: () => number;
  /** Refreshes an unused value when someone subscribes to it again. */
  refreshesOnReturn?: boolean;
  /** Fetches while components render, before the page is shown. Only for browsers: servers render without fetching. */
  fetchesAhead?: boolean;
};

/** (protocol, client §8): one fetch per key at a time, 300 ms between starts; calls in between share the next fetch. */
export function createResourceCache(options: ResourceCacheOptions = {}): ResourceCache {
  const { now = Date.now, refreshesOnReturn = false, fetchesAhead = false } = options;
  const entries = new Map<string, Entry>();

  const entryOf = (key: ResourceKey, load: () => Promise<unknown>): Entry => {
    const id = JSON.stringify(key);
    const known = entries.get(id);
    if (known) return known;
    const entry: Entry = {
      key,
      state: emptyState,
      isNew: true,
      isRendered: false,
      ahead: null,
      load,
      listeners: new Set(),
      lastStartMs: Number.NEGATIVE_INFINITY,
      running: null,
      waiting: null,
      dropTimer: undefined,
    };
    entries.set(id, entry);
    return entry;
  };

  const change = (entry: Entry, state: Partial<ResourceState>): void => {
    entry.state = { ...entry.state, ...state };
    for (const listener of [...entry.listeners]) listener();
  };

  const settle = (entry: Entry, state: Partial<ResourceState>): void => {
    if (entry.isNew && entry.isRendered) entry.ahead = state;
    else change(entry, state);
  };

  const drop = (entry: Entry): void => {
    const id = JSON.stringify(entry.key);
    if (entries.get(id) === entry) entries.delete(id);
    clearTimeout(entry.dropTimer);
  };

  const dropLater = (entry: Entry): void => {
    entry.dropTimer = setTimeout(() => drop(entry), DROP_AFTER_MS);
  };

  const start = async (entry: Entry): Promise<void> => {
    entry.lastStartMs = now();
    if (!entry.state.isFetching) change(entry, { isFetching: true });
    try {
      settle(entry, { value: await entry.load(), error: undefined, isFetching: false });
    } catch (error) {
      settle(entry, { error: error ?? new Error('Unknown error'), isFetching: false });
    }
  };

  const run = (entry: Entry): Promise<void> => {
    entry.running = start(entry).finally(() => {
      entry.running = null;
    });
    return entry.running;
  };

  const refetch = (entry: Entry): Promise<void> => {
    if (entry.waiting) return entry.waiting;
    const waitMs = entry.lastStartMs + THROTTLE_MS - now();
    if (!entry.running && waitMs <= 0) return run(entry);
    const turn = async (): Promise<void> => {
      await entry.running;
      const restMs = entry.lastStartMs + THROTTLE_MS - now();
      if (restMs > 0) await new Promise((resolve) => setTimeout(resolve, restMs));
      entry.waiting = null;
      await run(entry);
    };
    entry.waiting = turn();
    return entry.waiting;
  };

  const preload = (key: ResourceKey, load: () => Promise<unknown>): void => {
    if (entries.has(JSON.stringify(key))) return;
    const entry = entryOf(key, load);
    void run(entry).then(() => {
      if (entry.isNew) dropLater(entry);
    });
  };

  return {
    state: (key) => entries.get(JSON.stringify(key))?.state ?? emptyState,
    preload,
    prepare: (key, load) => {
      if (!fetchesAhead) return;
      preload(key, load);
      entryOf(key, load).isRendered = true;
    },
    subscribe: (key, load, listener) => {
      const entry = entryOf(key, load);
      const isReturn = refreshesOnReturn && !entry.isNew && entry.listeners.size === 0;
      entry.isNew = false;
      entry.load = load;
      entry.listeners.add(listener);
      clearTimeout(entry.dropTimer);
      const { ahead } = entry;
      if (ahead) {
        entry.ahead = null;
        change(entry, ahead);
      }
      const isEmpty = entry.state.value === undefined && entry.state.error === undefined;
      if (!entry.running && !entry.waiting) {
        if (isEmpty) void run(entry);
        else if (isReturn) void refetch(entry);
      }
      return () => {
        entry.listeners.delete(listener);
        if (entry.listeners.size === 0) dropLater(entry);
      };
    },
    refresh: async (key) => {
      const entry = entries.get(JSON.stringify(key));
      if (entry) await refetch(entry);
    },
    invalidate: async (prefix) => {
      const touched = [...entries.values()].filter(({ key }) => prefix.every((part, index) => key[index] === part));
      await Promise.all(
        touched.map(async (entry) => {
          if (entry.listeners.size > 0) await refetch(entry);
          else drop(entry);
        }),
      );
    },
    clear: () => {
      for (const entry of [...entries.values()]) drop(entry);
    },
  };
}
