import { EventStoreDBClient } from '@eventstore/db-client';
import { enoughAttempts, pauseAfter } from '../pause-after.ts';

/**
 * A client by its connection string; it connects when it is first used, and anew when a connection is lost. The client keeps the appends
 * that wait for an answer of BatchAppend in one table for all of its connections: when one breaks, the appends of the others are
 * forgotten too, and their answers then end the process. So each append is a call of its own, which has a time limit as well.
 */
export function connect(url: string): EventStoreDBClient {
  const client = EventStoreDBClient.connectionString(url.replace(/^kurrentdb\b/, 'esdb'));
  Object.defineProperty(client, 'supports', { value: async () => false });
  return client;
}

const lostTypes = new Set(['unavailable', 'cancelled', 'deadline-exceeded', 'timeout', 'not-leader']);
/** gRPC's CANCELLED, DEADLINE_EXCEEDED, ABORTED and UNAVAILABLE. */
const lostCodes = new Set<unknown>([1, 4, 10, 14]);
const neverSent =
  /No connection established|ECONNREFUSED|ENOTFOUND|Name resolution failed|Failed to discover|closed before call started/;

/** Broken connections, and nodes that are away, starting, busy or not the leader: trying again may help. */
export function isConnectionLost(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if ('type' in error && lostTypes.has(String(error.type))) return true;
  if ('code' in error && lostCodes.has(error.code)) return true;
  return neverSent.test(error.message) || /RST_STREAM|write after end/.test(error.message);
}

/** The call never left this process, so nothing came of it. */
export const wasNeverSent = (error: unknown) => error instanceof Error && neverSent.test(error.message);

export type Attempts = {
  /** Calls until the log answers, for some five seconds. @throws the last error, or one that has nothing to do with the connection */
  make<T>(call: () => Promise<T>): Promise<T>;
};

/** The log counts as away once it has not answered anybody for so long. */
const awayMs = 5_000;

/** While the log is away each caller tries once: nobody waits for what will not come. */
export function createAttempts(maxAttempts = enoughAttempts): Attempts {
  let failing: { sinceMs: number; untilMs: number } | null = null;

  function isAway(): boolean {
    const nowMs = performance.now();
    // An old failure says nothing of now.
    const sinceMs = failing && nowMs - failing.untilMs < awayMs ? failing.sinceMs : nowMs;
    failing = { sinceMs, untilMs: nowMs };
    return nowMs - sinceMs >= awayMs;
  }

  return {
    make: async (call) => {
      for (let attempt = 1; ; attempt += 1) {
        try {
          const result = await call();
          failing = null;
          return result;
        } catch (error) {
          if (!isConnectionLost(error) || isAway() || attempt === maxAttempts) throw error;
        }
        await pauseAfter(attempt);
      }
    },
  };
}
