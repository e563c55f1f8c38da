/** The name under which every library of the protocol keeps it (client.md §14.3). */
const key = '_STACK_AUTH.lastUsed';

/** The provider through which somebody last left from this browser; null also where pages may keep nothing. */
export function readLastUsed(): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

export function noteLastUsed(provider: string): void {
  try {
    localStorage.setItem(key, provider);
  } catch {
    // A mark beside a button is all that is lost.
  }
}
