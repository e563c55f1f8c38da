import { isDeepStrictEqual } from 'node:util';
import type { Decider } from '@gatebook/domain/decider';
import type { DomainEvent, Metadata } from '@gatebook/domain/event';
import { requestDecider } from '@gatebook/domain/request/decide';
import { ConcurrencyError, type EventStore, NO_STREAM, type Write } from '@gatebook/eventlog/port';
import type { CommandMetadata } from './deps.ts';
import { streamOf } from './streams.ts';

const maxAttempts = 8;
const firstPauseMs = 10;

/** One stream inside a command: its state, and what the command decides on it. */
export type LoadedAggregate<S, C> = {
  /** With everything decided so far. */
  readonly state: S;
  /** As if everything decided so far had been appended. */
  readonly revision: bigint;
  decide(command: C): void;
  /** As `decide`, for an event whose only use is that others race for the stream: appended anew after every lost race. */
  guard(command: C): void;
};

export type UnitOfWork = {
  load<S, C, E extends DomainEvent>(decider: Decider<S, C, E>, stream: string): Promise<LoadedAggregate<S, C>>;
  /** A stream that can't exist yet, because its id was just made. */
  create<S, C, E extends DomainEvent>(decider: Decider<S, C, E>, stream: string): LoadedAggregate<S, C>;
};

type Decided = Write & { events: DomainEvent[]; isGuard: boolean };
/** What this command has appended before it lost a race, by stream: only where the log may keep a prefix of an append. */
type Made = Map<string, Decided>;

/**
 * Runs `plan` on fresh state and appends what it decided, streams in the order of their first events: keep every prefix of
 * them harmless. A lost race runs the plan again, so it must be free of effects. What was appended before the race was lost is
 * decided again as if it were not there, and not appended twice (docs/decisions/0014).
 * @returns the plan's result, and the position of the last event: null when nothing changed
 * @throws ConcurrencyError when 8 attempts all lost; DomainError as the deciders reject, and REQUEST_ANSWER_LOST when the same
 * write with a key was decided by another request
 */
export async function transact<T>(
  store: EventStore,
  { once = null, ...metadata }: Metadata & Partial<CommandMetadata>,
  plan: (work: UnitOfWork) => Promise<T>,
): Promise<{ result: T; position: bigint | null }> {
  const made: Made = new Map();
  for (let attempt = 1; ; attempt += 1) {
    const decided: Decided[] = [];
    const work = workOn(store, decided, made);
    const result = await plan(work);
    if (decided.length === 0) return { result, position: null };
    if (once !== null) await recordDecision(work, once, metadata);
    const writes = decided.filter((write) => !isMade(made, write));
    try {
      if (writes.length === 0) return { result, position: await store.head() };
      const { position } = await store.append(writes, metadata);
      return { result, position };
    } catch (error) {
      if (!(error instanceof ConcurrencyError) || attempt === maxAttempts) throw error;
      for (const write of writes)
        if (error.left.includes(write.stream) && !write.isGuard) made.set(write.stream, write);
    }
    // Without the jitter, equal writers would starve each other.
    await new Promise((resume) => setTimeout(resume, Math.random() * firstPauseMs * 2 ** attempt));
  }
}

/** Runs `plan` as `transact` does and appends nothing: what the command would reject is rejected. */
export function dryRun<T>(store: EventStore, plan: (work: UnitOfWork) => Promise<T>): Promise<T> {
  return plan(workOn(store, [], new Map()));
}

/** @throws ConcurrencyError when the command decides otherwise by now: what it has appended stays as it is */
function isMade(made: Made, { stream, events }: Decided): boolean {
  const before = made.get(stream);
  if (before && !isDeepStrictEqual(before.events, events)) throw new ConcurrencyError(stream, [...made.keys()]);
  return before !== undefined;
}

/**
 * Last: a prefix without it may be decided again, one with it alone would be a write that never was.
 * @throws DomainError REQUEST_ANSWER_LOST when another request with the same key was first
 */
async function recordDecision(work: UnitOfWork, once: string, { requestId, at }: Metadata): Promise<void> {
  (await work.load(requestDecider, streamOf.request(once))).decide({ type: 'RecordDecision', requestId, at });
}

/** One command on one stream. */
export async function execute<S, C, E extends DomainEvent>(
  store: EventStore,
  decider: Decider<S, C, E>,
  stream: string,
  command: C,
  metadata: Metadata & Partial<CommandMetadata>,
): Promise<{ position: bigint | null }> {
  const { position } = await transact(store, metadata, async ({ load }) => {
    (await load(decider, stream)).decide(command);
  });
  return { position };
}

function workOn(store: EventStore, writes: Decided[], made: Made): UnitOfWork {
  function loaded<S, C, E extends DomainEvent>(
    decider: Decider<S, C, E>,
    stream: string,
    start: { state: S; revision: bigint },
  ): LoadedAggregate<S, C> {
    let { state } = start;
    let write: Decided | undefined;
    function decide(command: C): void {
      const events = decider.decide(command, state);
      if (events.length === 0) return;
      if (!write) {
        write = { stream, expected: start.revision, events: [], isGuard: false };
        writes.push(write);
      }
      write.events.push(...events);
      state = events.reduce(decider.evolve, state);
    }
    return {
      get state() {
        return state;
      },
      get revision() {
        return start.revision + BigInt(write?.events.length ?? 0);
      },
      decide,
      guard: (command) => {
        decide(command);
        if (write) write.isGuard = true;
      },
    };
  }

  return {
    load: async <S, C, E extends DomainEvent>(decider: Decider<S, C, E>, stream: string) => {
      const { state, revision } = await readState(store, decider, stream, made.get(stream));
      return loaded(decider, stream, { state, revision });
    },
    create: (decider, stream) => loaded(decider, stream, { state: decider.initialState, revision: NO_STREAM }),
  };
}

/** The present state of a stream, for looking without writing; as if `without` were not there. */
export async function readState<S, C, E extends DomainEvent>(
  store: EventStore,
  decider: Decider<S, C, E>,
  stream: string,
  without?: Write,
): Promise<{ state: S; revision: bigint }> {
  const { events, revision } = await store.readStream<E>(stream);
  if (!without) return { state: events.reduce<S>(decider.evolve, decider.initialState), revision };
  const count = BigInt(without.events.length);
  const others = events.filter(
    (event) => event.revision <= without.expected || event.revision > without.expected + count,
  );
  return { state: others.reduce<S>(decider.evolve, decider.initialState), revision: revision - count };
}
