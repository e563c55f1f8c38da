/** A finished read. A new object for each result, so that it can be compared. */
export type Snapshot<Value> = { value: Value } | { error: unknown };

/** A read whose result is shared and kept while someone watches it. All functions work without `this`. */
export type Resource<Value> = {
  /** Fetches, and updates everyone who watches. Calls during a fetch share the next one. */
  load(): Promise<Value>;
  /** The result at hand; null if there is none. */
  peek(): Snapshot<Value> | null;
  /** Settles with the running fetch, or starts one. The same promise until then, for Suspense. */
  ready(): Promise<unknown>;
  /** Calls back after every change of `peek`. Returns a function that ends it. */
  subscribe(listener: () => void): () => void;
};

/** A method that reads. Hooks use its resource. */
export type Read<Args extends readonly unknown[], Value> = {
  (...args: Args): Promise<Value>;
  resource(...args: Args): Resource<Value>;
};

export type Cache = {
  resource<Value>(key: string, fetch: () => Promise<Value>): Resource<Value>;
  /** Reloads what is watched below these keys, and forgets the rest. */
  refresh(...prefixes: string[]): Promise<void>;
};

/** (protocol, client §8) */
const SPACING_MS = 300;
const UNUSED_MS = 5_000;

type Entry = Resource<unknown> & { invalidate(): Promise<unknown> | null };

export function createCache(pause: (ms: number) => Promise<void>, now: () => number): Cache {
  const entries = new Map<string, Entry>();
  return {
    resource: <Value>(key: string, fetch: () => Promise<Value>) => {
      const known = entries.get(key);
      if (known) return known as Resource<Value>;
      const entry = createEntry(fetch, {
        pause,
        now,
        keep: () => {
          if (!entries.has(key)) entries.set(key, entry);
        },
        forget: () => {
          if (entries.get(key) === entry) entries.delete(key);
        },
      });
      entries.set(key, entry);
      return entry as Resource<Value>;
    },
    refresh: async (...prefixes) => {
      const touched = [...entries].filter(([key]) => prefixes.some((prefix) => key.startsWith(prefix)));
      await Promise.all(touched.map(([, entry]) => entry.invalidate()));
    },
  };
}

type Parts = { pause: (ms: number) => Promise<void>; now: () => number; keep: () => void; forget: () => void };

function createEntry(fetch: () => Promise<unknown>, { pause, now, keep, forget }: Parts): Entry {
  const listeners = new Set<() => void>();
  let snapshot: Snapshot<unknown> | null = null;
  let running: Promise<unknown> | null = null;
  let next: Promise<unknown> | null = null;
  let readiness: Promise<unknown> | null = null;
  let startedAt = Number.NEGATIVE_INFINITY;
  /** Changes when results that are on their way no longer count. */
  let epoch = 0;
  let unusedTimer: ReturnType<typeof setTimeout> | undefined;

  const set = (result: Snapshot<unknown> | null): void => {
    snapshot = result;
    for (const listener of [...listeners]) listener();
  };
  const keepUnused = (): void => {
    keep();
    clearTimeout(unusedTimer);
    if (listeners.size === 0) unusedTimer = setTimeout(forget, UNUSED_MS);
  };
  const run = async (): Promise<unknown> => {
    const wait = startedAt + SPACING_MS - now();
    if (listeners.size > 0 && wait > 0) await pause(wait);
    startedAt = now();
    const ofEpoch = epoch;
    const count = (result: Snapshot<unknown>) => {
      if (ofEpoch === epoch) set(result);
    };
    try {
      const value = await fetch();
      count({ value });
      return value;
    } catch (error) {
      count({ error });
      throw error;
    } finally {
      running = next;
      next = null;
      if (running === null && unusedTimer === undefined && listeners.size === 0) forget();
    }
  };
  const load = (): Promise<unknown> => {
    if (running === null) {
      running = run();
      return running;
    }
    next ??= running.then(run, run);
    return next;
  };

  return {
    load,
    peek: () => snapshot,
    ready: () => {
      keepUnused();
      readiness ??= (running ?? load())
        .catch(() => undefined)
        .finally(() => {
          readiness = null;
        });
      return readiness;
    },
    subscribe: (listener) => {
      keep();
      listeners.add(listener);
      clearTimeout(unusedTimer);
      return () => {
        listeners.delete(listener);
        keepUnused();
      };
    },
    invalidate: () => {
      epoch += 1;
      if (listeners.size > 0) return load().catch(() => undefined);
      snapshot = null;
      return null;
    },
  };
}
