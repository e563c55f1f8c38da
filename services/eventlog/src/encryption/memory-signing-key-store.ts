import type { SigningKeyStore, StoredSigningKey } from './signing-keys.ts';

/** For tests: signing keys live as long as the process. */
export function createMemorySigningKeyStore(): SigningKeyStore {
  const keys = new Map<string, StoredSigningKey[]>();
  const listeners = new Set<(projectId: string) => void>();
  const projectOf = (kid: string) => [...keys].find(([, ofProject]) => ofProject.some((key) => key.kid === kid))?.[0];
  return {
    load: async (projectId) => [...(keys.get(projectId) ?? [])],
    add: async (key, { onlyAsFirst }) => {
      const ofProject = keys.get(key.projectId) ?? [];
      if (onlyAsFirst && ofProject.length > 0) return false;
      keys.set(key.projectId, [key, ...ofProject]);
      for (const listener of listeners) listener(key.projectId);
      return true;
    },
    projectOf: async (kid) => projectOf(kid) ?? null,
    withdraw: async (kid, replacement) => {
      const projectId = projectOf(kid);
      const ofProject = keys.get(projectId ?? '') ?? [];
      const found = ofProject.find((key) => key.kid === kid);
      if (projectId === undefined || !found || found.wrapped === null) return false;
      const left = ofProject.map((key) => (key === found ? { ...key, wrapped: null } : key));
      keys.set(projectId, [...(replacement ? [replacement] : []), ...left]);
      for (const listener of listeners) listener(projectId);
      return true;
    },
    onChanged: async (listener) => {
      listeners.add(listener);
      return async () => void listeners.delete(listener);
    },
  };
}
