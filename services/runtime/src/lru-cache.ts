/** Keeps the entries used last, up to a total size. */
export type LruCache<Value> = {
  get(key: string): Value | undefined;
  /** Does not keep a value that is larger than the whole cache. */
  set(key: string, value: Value, bytes: number): void;
  delete(key: string): void;
  clear(): void;
  bytes(): number;
};

/** `onRemoved` gets each value that leaves the cache, except by `clear`. */
export function createLruCache<Value>(
  maxBytes: number,
  onRemoved: (key: string, value: Value) => void = () => undefined,
): LruCache<Value> {
  const entries = new Map<string, { value: Value; bytes: number }>();
  let total = 0;

  function remove(key: string): void {
    const entry = entries.get(key);
    if (!entry) return;
    total -= entry.bytes;
    entries.delete(key);
    onRemoved(key, entry.value);
  }

  return {
    get: (key) => {
      const entry = entries.get(key);
      if (!entry) return undefined;
      entries.delete(key);
      entries.set(key, entry);
      return entry.value;
    },
    set: (key, value, bytes) => {
      remove(key);
      if (bytes > maxBytes) return;
      entries.set(key, { value, bytes });
      total += bytes;
      for (const oldest of entries.keys()) {
        if (total <= maxBytes) return;
        remove(oldest);
      }
    },
    delete: remove,
    clear: () => {
      entries.clear();
      total = 0;
    },
    bytes: () => total,
  };
}

/** A small result in memory, without its key. */
const resultBytes = 200;

/** Remembers the results for the texts used last. `maxBytes`: of texts and results, which should be small. */
export function memoize<Result>(compute: (text: string) => Result, maxBytes: number): (text: string) => Result {
  const results = createLruCache<{ result: Result }>(maxBytes);
  return (text) => {
    const known = results.get(text);
    if (known) return known.result;
    const result = compute(text);
    results.set(text, { result }, resultBytes + 2 * text.length);
    return result;
  };
}
