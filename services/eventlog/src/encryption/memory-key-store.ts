import type { Erased, KeyStore, StoredKey } from './key-store.ts';

type Subject = StoredKey & { addressRef: string | null; madeAt: number };

/** For tests and the memory adapter: keys live as long as the process. */
export function createMemoryKeyStore(): KeyStore {
  const subjects = new Map<string, Subject>();
  const erasedProjects = new Set<string>();
  const listeners = new Set<(erased: Erased) => void>();

  const isErased = (projectId: string | null) => projectId !== null && erasedProjects.has(projectId);

  const load = (subjectIds: Iterable<string>) =>
    new Map(
      [...subjectIds].flatMap((id): [string, StoredKey][] => {
        const subject = subjects.get(id);
        if (!subject) return [];
        const { wrapped, projectId } = subject;
        return [[id, { wrapped: isErased(projectId) ? null : wrapped, projectId }]];
      }),
    );

  const notify = (erased: Erased) => {
    for (const listener of listeners) listener(erased);
  };

  function destroy(id: string): void {
    const projectId = subjects.get(id)?.projectId ?? null;
    subjects.set(id, { wrapped: null, projectId, addressRef: null, madeAt: 0 });
  }

  function erase(subjectId: string): void {
    destroy(subjectId);
    notify({ subjectId });
  }

  return {
    loadSubjects: async (subjectIds) => load(subjectIds),
    addSubjects: async (wrapped, { projectId = null, addressRefs } = {}) => {
      for (const [id, key] of isErased(projectId) ? [] : wrapped) {
        if (subjects.has(id)) continue;
        subjects.set(id, { wrapped: key, projectId, addressRef: addressRefs?.get(id) ?? null, madeAt: Date.now() });
      }
      const stored = load(wrapped.keys());
      for (const id of wrapped.keys()) if (!stored.has(id)) stored.set(id, { wrapped: null, projectId });
      return stored;
    },
    eraseSubject: async (subjectId) => erase(subjectId),
    eraseAddress: async (erasedRef, madeBefore) => {
      const before = madeBefore === undefined ? Number.POSITIVE_INFINITY : Date.parse(madeBefore);
      for (const [id, { addressRef, madeAt }] of [...subjects])
        if (addressRef === erasedRef && madeAt < before) erase(id);
    },
    eraseProject: async (erasedId, limit) => {
      erasedProjects.add(erasedId);
      let destroyed = 0;
      for (const [id, { projectId, wrapped }] of [...subjects]) {
        if (projectId !== erasedId || wrapped === null || destroyed === limit) continue;
        destroy(id);
        destroyed += 1;
      }
      notify({ projectId: erasedId });
      return destroyed;
    },
    onErased: async (listener) => {
      listeners.add(listener);
      return async () => void listeners.delete(listener);
    },
  };
}
