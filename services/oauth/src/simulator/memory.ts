import type { Adapter, AdapterFactory, AdapterPayload } from 'oidc-provider';

type Kept = { payload: AdapterPayload; untilMs: number };
const mostKept = 10_000;

/** What `oidc-provider` keeps, in memory alone: with the process ends everything that was signed in here. */
export function createMemory(): AdapterFactory {
  const kept = new Map<string, Kept>();
  return (model) => {
    const keyOf = (id: string) => `${model}:${id}`;

    const findBy = (isIt: (payload: AdapterPayload) => boolean): AdapterPayload | undefined => {
      for (const [key, { payload, untilMs }] of kept) {
        if (key.startsWith(`${model}:`) && untilMs > Date.now() && isIt(payload)) return payload;
      }
      return undefined;
    };

    return {
      upsert: async (id, payload, expiresIn) => {
        // Oldest first: a map keeps the order of insertion.
        if (kept.size >= mostKept) for (const old of [...kept.keys()].slice(0, mostKept / 10)) kept.delete(old);
        kept.set(keyOf(id), { payload, untilMs: expiresIn ? Date.now() + expiresIn * 1000 : Number.POSITIVE_INFINITY });
      },
      find: async (id) => {
        const found = kept.get(keyOf(id));
        return found && found.untilMs > Date.now() ? found.payload : undefined;
      },
      findByUid: async (uid) => findBy((payload) => payload.uid === uid),
      findByUserCode: async (userCode) => findBy((payload) => payload.userCode === userCode),
      consume: async (id) => {
        const found = kept.get(keyOf(id));
        if (found) found.payload.consumed = Math.floor(Date.now() / 1000);
      },
      destroy: async (id) => {
        kept.delete(keyOf(id));
      },
      // Asked of one model, meant for every model that a grant has given something of.
      revokeByGrantId: async (grantId) => {
        for (const [key, { payload }] of kept) if (payload.grantId === grantId) kept.delete(key);
      },
    } satisfies Adapter;
  };
}
