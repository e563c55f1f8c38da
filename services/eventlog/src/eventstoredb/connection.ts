import { EventStoreDBClient } from '@eventstore/db-client';
import { enoughAttempts, pauseAfter } from '../pause-after.ts';
import { LogUnavailableError } from '../port.ts';

/**
 * A client from a connection string. It connects on first use and again after a lost connection.
 * The client keeps appends that wait for BatchAppend responses in one table for all connections. When one connection
 * breaks, the appends of the others are forgotten too, and their responses then end the process. So each append is a
 * call of its own, which also gives it a time limit.
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

/** Broken connections, and nodes that are unavailable, starting, busy or not the leader: trying again may help. */
export function isConnectionLost(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if ('type' in error && lostTypes.has(String(error.type))) return true;
  if ('code' in error && lostCodes.has(error.code)) return true;
  return neverSent.test(error.message) || /RST_STREAM|write after end/.test(error.message);
}

/** gRPC's INVALID_ARGUMENT, NOT_FOUND and OUT_OF_RANGE. */
const rejectedCodes = new Set<unknown>([3, 5, 11]);

/** Whether the log has no event at the position that was read, such as after a restore. */
export const isPositionRejected = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && rejectedCodes.has(error.code);

/** The call never left this process, so it had no effect. */
export const wasNeverSent = (error: unknown) => error instanceof Error && neverSent.test(error.message);

const reasons: readonly [RegExp, (found: string) => string][] = [
  [
    /self-signed certificate|unable to (?:get|verify)[\w ]*|certificate has expired|does not match certificate/,
    (found) =>
      `The certificate of EventStoreDB is not trusted (${found}): set tlsCaFile in GATEBOOK_EVENTSTORE_URL to the certificate of its authority.`,
  ],
  [
    /wrong version number/,
    () => 'The server at GATEBOOK_EVENTSTORE_URL does not use TLS: turn it on there, or add tls=false to the setting.',
  ],
  [/Failed to load certificate file/, () => 'The file named by tlsCaFile in GATEBOOK_EVENTSTORE_URL can’t be read.'],
  [
    /UNAUTHENTICATED/,
    () =>
      'EventStoreDB rejects the user name or password in GATEBOOK_EVENTSTORE_URL, or in GATEBOOK_EVENTSTORE_USER and GATEBOOK_EVENTSTORE_PASSWORD.',
  ],
  [
    /PERMISSION_DENIED/,
    () =>
      'The user of GATEBOOK_EVENTSTORE_URL may not read $all in EventStoreDB: give the user that right (see “The log in EventStoreDB” in docs/operations.md).',
  ],
];

/** A sentence for the operator if trying again can't help; else null. */
export function describeMisconfiguration(error: unknown): string | null {
  const cause = error instanceof LogUnavailableError ? error.cause : error;
  const message = cause instanceof Error ? cause.message : '';
  for (const [pattern, describe] of reasons) {
    const [found] = pattern.exec(message) ?? [];
    if (found !== undefined) return describe(found);
  }
  return null;
}

export type Attempts = {
  /**
   * Tries again until the log responds, for about five seconds. @throws the last error, or an error that is not about
   * the connection
   */
  make<T>(call: () => Promise<T>): Promise<T>;
};

/** The log counts as unavailable after this long without any response. */
const awayMs = 5_000;

/** While the log is unavailable, each caller tries once, so that no caller waits in vain. */
export function createAttempts(maxAttempts = enoughAttempts): Attempts {
  let failing: { sinceMs: number; untilMs: number } | null = null;

  function isAway(): boolean {
    const nowMs = performance.now();
    // An old failure does not mean that the log is unavailable now.
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
