import type { KeyStore } from './key-store.ts';

/** For tests and the memory adapter: keys live as long as the process. */
export function createMemoryKeyStore(): KeyStore {
  const subjects = new Map<string, string | null>();
  const refs = new Map<string, { ref: string; madeAt: number }>();
  const listeners = new Set<(subjectId: string) => void>();

  const load = (subjectIds: Iterable<string>) =>
    new Map(
      [...subjectIds].flatMap((id): [string, string | null][] => {
        const wrapped = subjects.get(id);
        return wrapped === undefined ? [] : [[id, wrapped]];
      }),
    );

  function erase(subjectId: string): void {
    subjects.set(subjectId, null);
    refs.delete(subjectId);
    for (const listener of listeners) listener(subjectId);
  }

  return {
    loadSubjects: async (subjectIds) => load(subjectIds),
    addSubjects: async (wrapped, addressRefs) => {
      for (const [id, key] of wrapped) {
        if (subjects.has(id)) continue;
        subjects.set(id, key);
        const ref = addressRefs?.get(id);
        if (ref !== undefined) refs.set(id, { ref, madeAt: Date.now() });
      }
      return load(wrapped.keys());
    },
    eraseSubject: async (subjectId) => erase(subjectId),
    eraseAddress: async (addressRef, madeBefore) => {
      const before = madeBefore === undefined ? Number.POSITIVE_INFINITY : Date.parse(madeBefore);
      for (const [id, { ref, madeAt }] of [...refs]) if (ref === addressRef && madeAt < before) erase(id);
    },
    onErased: async (listener) => {
      listeners.add(listener);
      return async () => void listeners.delete(listener);
    },
  };
}
