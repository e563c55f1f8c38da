/** The storage key that every client library of the protocol uses (protocol, client §14.3). */
const key = '_STACK_AUTH.lastUsed';

/** The provider last used in this browser; null if unknown or if storage is blocked. */
export function readLastUsed(): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

export function storeLastUsed(provider: string): void {
  try {
    localStorage.setItem(key, provider);
  } catch {
    // Storage is blocked. Only the “Last used” badge is lost.
  }
}
