/** Keeps the entries used last, up to a total size. */
export type LruCache<Value> = {
  get(key: string): Value | undefined;
  /** Does not keep a value that is larger than the whole cache. */
  set(key: string, value: Value, bytes: number): void;
  delete(key: string): void;
  deleteWhere(isMeant: (value: Value) => boolean): void;
  clear(): void;
  bytes(): number;
};

export function createLruCache<Value>(maxBytes: number): LruCache<Value> {
  const entries = new Map<string, { value: Value; bytes: number }>();
  let total = 0;

  function remove(key: string): void {
    total -= entries.get(key)?.bytes ?? 0;
    entries.delete(key);
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
    deleteWhere: (isMeant) => {
      for (const [key, { value }] of entries) if (isMeant(value)) remove(key);
    },
    clear: () => {
      entries.clear();
      total = 0;
    },
    bytes: () => total,
  };
}
