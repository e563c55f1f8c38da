import type { Adapter, AdapterFactory, AdapterPayload } from 'oidc-provider';

type Entry = { payload: AdapterPayload; untilMs: number };
const maxEntries = 10_000;

/** In-memory storage for `oidc-provider`: all sign-ins end with the process. */
export function createMemoryAdapter(): AdapterFactory {
  const entries = new Map<string, Entry>();
  return (model) => {
    const keyOf = (id: string) => `${model}:${id}`;

    const findFirst = (matches: (payload: AdapterPayload) => boolean): AdapterPayload | undefined => {
      for (const [key, { payload, untilMs }] of entries) {
        if (key.startsWith(`${model}:`) && untilMs > Date.now() && matches(payload)) return payload;
      }
      return undefined;
    };

    return {
      upsert: async (id, payload, expiresIn) => {
        // Delete the oldest: a map keeps insertion order.
        if (entries.size >= maxEntries)
          for (const old of [...entries.keys()].slice(0, maxEntries / 10)) entries.delete(old);
        entries.set(keyOf(id), {
          payload,
          untilMs: expiresIn ? Date.now() + expiresIn * 1000 : Number.POSITIVE_INFINITY,
        });
      },
      find: async (id) => {
        const found = entries.get(keyOf(id));
        return found && found.untilMs > Date.now() ? found.payload : undefined;
      },
      findByUid: async (uid) => findFirst((payload) => payload.uid === uid),
      findByUserCode: async (userCode) => findFirst((payload) => payload.userCode === userCode),
      consume: async (id) => {
        const found = entries.get(keyOf(id));
        if (found) found.payload.consumed = Math.floor(Date.now() / 1000);
      },
      destroy: async (id) => {
        entries.delete(keyOf(id));
      },
      // Called on one model, but applies to all models of the grant.
      revokeByGrantId: async (grantId) => {
        for (const [key, { payload }] of entries) if (payload.grantId === grantId) entries.delete(key);
      },
    } satisfies Adapter;
  };
}
