/** What the client needs of its surroundings; tests put their own in place. */
export type Network = {
  fetch: (url: string, init: RequestInit) => Promise<Response>;
  pause: (ms: number) => Promise<void>;
  /** From 0 up to but not including 1. */
  random: () => number;
  now: () => number;
  isOnline: () => boolean;
};

/** Longest wait a timer can hold (client.md §7.3). */
const LONGEST_WAIT_MS = 2 ** 31 - 1;

/** @throws RangeError for a wait that timers would silently turn into none */
export function pause(ms: number): Promise<void> {
  if (!Number.isFinite(ms) || ms < 0 || ms > LONGEST_WAIT_MS) throw new RangeError(`cannot wait for ${ms} ms`);
  return new Promise((resolve) => setTimeout(resolve, ms));
}

export const realNetwork: Network = {
  fetch: (url, init) => globalThis.fetch(url, init),
  pause,
  random: Math.random,
  now: Date.now,
  isOnline: () => globalThis.navigator?.onLine !== false,
};

/** The wait before the next attempt, given the number of the one that failed, from 1: about 1, 2, 4, 8 s. */
export function backoffMs(attempt: number, random: () => number): number {
  return (0.5 + random()) * 1000 * 2 ** (attempt - 1);
}

/** What `Retry-After` asks for; 0 when it is absent or no number. */
export function retryAfterMs(response: Response): number {
  const seconds = Number(response.headers.get('retry-after') ?? '');
  return Number.isFinite(seconds) && seconds > 0 ? Math.min(seconds * 1000, LONGEST_WAIT_MS) : 0;
}

/** fetch rejects with a TypeError when no answer came; whatever else it throws (an abort) is not ours to retry. */
export function isNetworkFailure(error: unknown): boolean {
  return error instanceof TypeError;
}

const crockford = '0123456789abcdefghjkmnpqrstvwxyz';

/** 224 random bits as 45 characters; defeats caches between client and server (client.md §7.1). */
export function nonce(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(45)), (byte) => crockford[byte % 32]).join('');
}
