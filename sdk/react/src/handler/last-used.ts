/** The storage key that every client library of the protocol uses (protocol, client §14.3). */
const key = '_STACK_AUTH.lastUsed';

/** The ID of a provider, or `passkey`, or the method of a form. */
export type Method = 'magic-link' | 'password' | (string & {});

/** The method last used in this browser; null if unknown or if storage is blocked. */
export function readLastUsed(): Method | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

export function storeLastUsed(method: Method): void {
  try {
    localStorage.setItem(key, method);
  } catch {
    // Storage is blocked. Only the “Last used” badge is lost.
  }
}
