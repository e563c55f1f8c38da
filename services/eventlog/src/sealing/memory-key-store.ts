import type { KeyStore } from './key-store.ts';

/** For tests and the memory adapter: keys live as long as the process. */
export function createMemoryKeyStore(): KeyStore {
  const subjects = new Map<string, string | null>();
  const listeners = new Set<(subjectId: string) => void>();

  const load = (subjectIds: Iterable<string>) =>
    new Map(
      [...subjectIds].flatMap((id): [string, string | null][] => {
        const wrapped = subjects.get(id);
        return wrapped === undefined ? [] : [[id, wrapped]];
      }),
    );

  return {
    loadSubjects: async (subjectIds) => load(subjectIds),
    addSubjects: async (wrapped) => {
      for (const [id, key] of wrapped) if (!subjects.has(id)) subjects.set(id, key);
      return load(wrapped.keys());
    },
    eraseSubject: async (subjectId) => {
      subjects.set(subjectId, null);
      for (const listener of listeners) listener(subjectId);
    },
    onErased: async (listener) => {
      listeners.add(listener);
      return async () => void listeners.delete(listener);
    },
  };
}
