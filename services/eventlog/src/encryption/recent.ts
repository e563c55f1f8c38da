/** A map of at most `limit` entries that drops the entry set longest ago. */
export type Recent<Value> = {
  get(key: string): Value | undefined;
  set(key: string, value: Value): void;
  delete(key: string): void;
  deleteWhere(isMeant: (value: Value) => boolean): void;
  clear(): void;
};

export function createRecent<Value>(limit: number): Recent<Value> {
  const entries = new Map<string, Value>();
  return {
    get: (key) => entries.get(key),
    set: (key, value) => {
      entries.delete(key);
      const oldest = entries.size >= limit ? entries.keys().next() : undefined;
      if (oldest && !oldest.done) entries.delete(oldest.value);
      entries.set(key, value);
    },
    delete: (key) => void entries.delete(key),
    deleteWhere: (isMeant) => {
      for (const [key, value] of entries) if (isMeant(value)) entries.delete(key);
    },
    clear: () => entries.clear(),
  };
}
