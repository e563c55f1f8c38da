import type { SigningKeyStore, StoredSigningKey } from './signing-keys.ts';

/** For tests: signing keys that live as long as the process. */
export function createMemorySigningKeyStore(): SigningKeyStore {
  const keys = new Map<string, StoredSigningKey[]>();
  return {
    load: async (projectId) => [...(keys.get(projectId) ?? [])],
    add: async (key, { onlyAsFirst }) => {
      const ofProject = keys.get(key.projectId) ?? [];
      if (onlyAsFirst && ofProject.length > 0) return false;
      keys.set(key.projectId, [key, ...ofProject]);
      return true;
    },
  };
}
