/** The client's access to network, clock and randomness; replaced in tests. */
export type Network = {
  fetch: (url: string, init: RequestInit) => Promise<Response>;
  pause: (ms: number) => Promise<void>;
  /** In [0, 1). */
  random: () => number;
  now: () => number;
  isOnline: () => boolean;
};

/** The longest delay of a timer (protocol, client §7.3). */
const LONGEST_WAIT_MS = 2 ** 31 - 1;

/** @throws RangeError for a delay that timers would silently turn into 0 */
export function pause(ms: number): Promise<void> {
  if (!(ms >= 0 && ms <= LONGEST_WAIT_MS)) throw new RangeError(`Cannot wait for ${ms} ms.`);
  return new Promise((resolve) => setTimeout(resolve, ms));
}

export const realNetwork: Network = {
  fetch: (url, init) => globalThis.fetch(url, init),
  pause,
  random: Math.random,
  now: Date.now,
  isOnline: () => globalThis.navigator?.onLine !== false,
};

/** The delay after the failed attempt number `attempt`, counted from 1: about 1, 2, 4, 8 s. */
export function backoffMs(attempt: number, random: () => number): number {
  return (0.5 + random()) * 500 * 2 ** attempt;
}

/** The delay from `Retry-After`; 0 if it is missing or not a number. */
export function retryAfterMs(response: Response): number {
  const seconds = Number(response.headers.get('retry-after'));
  return seconds > 0 ? Math.min(seconds * 1000, LONGEST_WAIT_MS) : 0;
}

/** `fetch` rejects with a TypeError if there is no response. Other errors, such as aborts, must not be retried. */
export function isNetworkFailure(error: unknown): boolean {
  return error instanceof TypeError;
}

const crockford = '0123456789abcdefghjkmnpqrstvwxyz';

/** 224 random bits as 45 characters, to bypass caches between client and server (protocol, client §7.1). */
export function nonce(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(45)), (byte) => crockford[byte % 32]).join('');
}
