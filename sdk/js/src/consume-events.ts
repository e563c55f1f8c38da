import type { ConsumerStore } from './consumer-store.ts';
import { AnswerError, KnownError, UnknownErrorCode } from './errors.ts';
import type { EventFilters, EventMethods, EventsMatching, EventTypePattern } from './events.ts';
import { canRecover, waitFor } from './live.ts';
import { backoffMs } from './network.ts';

/** An event whose effect has failed `attempts` times; `error` is the last failure. */
export type StuckEvent<Event> = { event: Event; error: unknown; attempts: number };

export type ConsumeOptions<Tx, Pattern extends EventTypePattern> = EventFilters<Pattern> & {
  app: Pick<EventMethods, 'listEvents'>;
  /** Workers with the same name share the events. */
  name: string;
  store: ConsumerStore<Tx>;
  /**
   * The effect of an event. What it writes through `tx` is committed together with the cursor, so it happens exactly
   * once. Other systems can be called twice: give them the ID of the event as idempotency key.
   */
  handle(event: EventsMatching<Pattern>, tx: Tx): Promise<void>;
  /** Where a new consumer begins: with the first event of the project (the default), or with new ones. */
  startAt?: 'first' | 'head' | undefined;
  /** How often an event is tried; 5 by default. */
  attempts?: number | undefined;
  /**
   * Stores an event that fails for later, in the transaction that moves past it. Without this function, the consumer
   * stops at the event.
   */
  onStuck?: ((stuck: StuckEvent<EventsMatching<Pattern>>, tx: Tx) => Promise<void>) | undefined;
  /** Is told each failure after which the consumer tries again. */
  onError?: ((error: unknown) => void) | undefined;
  /** Ends the consumer after the event that it is working on. */
  signal?: AbortSignal | undefined;
  /** Replaced in tests. */
  parts?: { wait: typeof waitFor; random: () => number } | undefined;
};

/** Its `cause` is the last failure of the event. */
export class StuckEventError extends Error {
  readonly event: { id: string; type: string };
  constructor({ event, error, attempts }: StuckEvent<{ id: string; type: string }>) {
    super(`The event ${event.id} (${event.type}) failed ${attempts} times.`, { cause: error });
    this.name = 'StuckEventError';
    this.event = event;
  }
}

const realParts = { wait: waitFor, random: Math.random };
const ATTEMPTS = 5;
const WAIT_MS = 20_000;
/** Failures in a row after which the delay no longer grows: 16 to 48 s. */
const LONGEST_BACKOFF = 6;

type Failures = { eventId: string; count: number };
type Turn = { outcome: 'ended' } | { outcome: 'lost' } | { outcome: 'failed'; failures: Failures };

/**
 * Runs `handle` for each event of the project, in order, until the signal aborts. Whatever is interrupted, and however
 * many workers run, each effect is committed exactly once.
 * @throws StuckEventError if an event keeps failing; what the server rejects, such as EVENT_CURSOR_INVALID; errors of
 * the store when it is first read
 */
export async function consumeEvents<Tx, const Pattern extends EventTypePattern = EventTypePattern>(
  options: ConsumeOptions<Tx, Pattern>,
): Promise<void> {
  const { store, name, onError, signal, parts = realParts } = options;
  const wait = (failures: number) => parts.wait(backoffMs(Math.min(failures, LONGEST_BACKOFF), parts.random), signal);
  let failed: Failures | null = null;
  await store.load(name);
  for (let failures = 0; !signal?.aborted; ) {
    try {
      const turn: Turn = await takeTurn(options, failed);
      failures = 0;
      failed = turn.outcome === 'failed' ? turn.failures : null;
      if (turn.outcome !== 'ended') await wait(failed?.count ?? 1);
    } catch (error) {
      if (signal?.aborted) return;
      if (error instanceof StuckEventError || isRejection(error)) throw error;
      failures += 1;
      onError?.(error);
      await wait(failures);
    }
  }
}

const isRejection = (error: unknown) =>
  [KnownError, UnknownErrorCode, AnswerError].some((Kind) => error instanceof Kind) && !canRecover(error);

/** Reads on from the stored cursor, until an event fails or another worker has moved the cursor. */
async function takeTurn<Tx, Pattern extends EventTypePattern>(
  options: ConsumeOptions<Tx, Pattern>,
  failed: Failures | null,
): Promise<Turn> {
  const { app, store, name, types, userId, teamId, startAt, signal } = options;
  let cursor = await store.load(name);
  while (!signal?.aborted) {
    const page = await app.listEvents({
      ...{ types, userId, teamId, signal },
      after: cursor ?? (startAt === 'head' ? 'head' : undefined),
      // Store where a new consumer begins before waiting there.
      waitInMillis: cursor === null ? 0 : WAIT_MS,
    });
    for (const event of page.items) {
      if (signal?.aborted) break;
      const turn: Turn | null = await applyEvent(options, event, cursor, failed);
      if (turn) return turn;
      cursor = event.cursor;
    }
    if (page.items.length > 0) continue;
    if (!(await store.advance(name, cursor, page.nextAfter, async () => undefined))) return { outcome: 'lost' };
    cursor = page.nextAfter;
  }
  return { outcome: 'ended' };
}

/** @returns why the turn ends, or null if the event was handled. @throws errors of the store */
async function applyEvent<Tx, Pattern extends EventTypePattern>(
  { store, name, handle, onStuck, onError, attempts = ATTEMPTS }: ConsumeOptions<Tx, Pattern>,
  event: EventsMatching<Pattern>,
  cursor: string | null,
  failed: Failures | null,
): Promise<Turn | null> {
  let failure: { error: unknown } | null = null;
  const moveAfter = async (effect: (tx: Tx) => Promise<void>): Promise<Turn | null> =>
    (await store.advance(name, cursor, event.cursor, effect)) ? null : { outcome: 'lost' };
  try {
    return await moveAfter((tx) =>
      handle(event, tx).catch((error: unknown) => {
        failure = { error };
        throw error;
      }),
    );
  } catch (storeError) {
    if (!failure) throw storeError;
  }
  const { error } = failure;
  const count = failed?.eventId === event.id ? failed.count + 1 : 1;
  if (count < attempts) {
    onError?.(error);
    return { outcome: 'failed', failures: { eventId: event.id, count } };
  }
  const stuck = { event, error, attempts: count };
  if (!onStuck) throw new StuckEventError(stuck);
  return moveAfter((tx) => onStuck(stuck, tx));
}
