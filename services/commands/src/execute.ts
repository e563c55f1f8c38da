import type { Decider } from '@gatebook/domain/decider';
import type { DomainEvent, Metadata } from '@gatebook/domain/event';
import { requestDecider } from '@gatebook/domain/request/decide';
import { ConcurrencyError, type EventStore, NO_STREAM, type Write } from '@gatebook/eventlog/port';
import type { CommandMetadata } from './deps.ts';
import { streamOf } from './streams.ts';

const maxAttempts = 8;
const firstPauseMs = 10;

/** One stream inside a command: its state, and what the command decides on it. */
export type Loaded<S, C> = {
  /** With everything decided so far. */
  readonly state: S;
  /** As if everything decided so far had been appended. */
  readonly revision: bigint;
  decide(command: C): void;
};

export type Work = {
  load<S, C, E extends DomainEvent>(decider: Decider<S, C, E>, stream: string): Promise<Loaded<S, C>>;
  /** A stream that can't exist yet, because its id was just made. */
  create<S, C, E extends DomainEvent>(decider: Decider<S, C, E>, stream: string): Loaded<S, C>;
};

/**
 * Runs `plan` on fresh state and appends what it decided, streams in the order of their first events: keep every prefix of
 * them harmless. A lost race runs the plan again, so it must be free of effects.
 * @returns the plan's result, and the position of the last event: null when nothing changed
 * @throws ConcurrencyError when 8 attempts all lost; DomainError as the deciders refuse, and REQUEST_ANSWER_LOST when the same
 * write with a key was decided by another request
 */
export async function transact<T>(
  store: EventStore,
  { once = null, ...metadata }: Metadata & Partial<CommandMetadata>,
  plan: (work: Work) => Promise<T>,
): Promise<{ result: T; position: bigint | null }> {
  for (let attempt = 1; ; attempt += 1) {
    const writes: (Write & { events: DomainEvent[] })[] = [];
    const work = workOn(store, writes);
    const result = await plan(work);
    if (writes.length === 0) return { result, position: null };
    if (once !== null) await recordDecision(work, once, metadata);
    try {
      const { position } = await store.append(writes, metadata);
      return { result, position };
    } catch (error) {
      if (!(error instanceof ConcurrencyError) || attempt === maxAttempts) throw error;
    }
    // Without the jitter, equal writers would starve each other.
    await new Promise((resume) => setTimeout(resume, Math.random() * firstPauseMs * 2 ** attempt));
  }
}

/**
 * Last: a prefix without it may be decided again, one with it alone would be a write that never was.
 * @throws DomainError REQUEST_ANSWER_LOST when another request with the same key was first
 */
async function recordDecision(work: Work, once: string, { requestId, at }: Metadata): Promise<void> {
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

function workOn(store: EventStore, writes: (Write & { events: DomainEvent[] })[]): Work {
  function loaded<S, C, E extends DomainEvent>(
    decider: Decider<S, C, E>,
    stream: string,
    start: { state: S; revision: bigint },
  ): Loaded<S, C> {
    let { state } = start;
    let write: (Write & { events: DomainEvent[] }) | undefined;
    return {
      get state() {
        return state;
      },
      get revision() {
        return start.revision + BigInt(write?.events.length ?? 0);
      },
      decide: (command) => {
        const events = decider.decide(command, state);
        if (events.length === 0) return;
        if (!write) {
          write = { stream, expected: start.revision, events: [] };
          writes.push(write);
        }
        write.events.push(...events);
        state = events.reduce(decider.evolve, state);
      },
    };
  }

  return {
    load: async <S, C, E extends DomainEvent>(decider: Decider<S, C, E>, stream: string) => {
      const { state, revision } = await readState(store, decider, stream);
      return loaded(decider, stream, { state, revision });
    },
    create: (decider, stream) => loaded(decider, stream, { state: decider.initialState, revision: NO_STREAM }),
  };
}

/** The present state of a stream, for looking without writing. */
export async function readState<S, C, E extends DomainEvent>(
  store: EventStore,
  decider: Decider<S, C, E>,
  stream: string,
): Promise<{ state: S; revision: bigint }> {
  const { events, revision } = await store.readStream<E>(stream);
  return { state: events.reduce<S>(decider.evolve, decider.initialState), revision };
}
