import type { Actor, DomainEvent, Recorded } from '../event.ts';

/** The event that made a fact begin or end. `at`: when the log committed it (ISO time). */
export type Cause = { id: string; type: string; at: string; position: bigint; requestId: string; actor: Actor };

/** Something that can begin, end and begin again. null: no event is known, or none was needed. */
export type Fact = { holds: boolean; since: Cause | null; until: Cause | null };
export const builtIn: Fact = { holds: true, since: null, until: null };
export const never: Fact = { holds: false, since: null, until: null };

/** Facts about a part of a state, by name. */
export type Aspect<S> = {
  /** The part of the state that the names depend on. It stays identical until it changes. */
  partOf: (state: S) => unknown;
  namesIn: (state: S) => Iterable<string>;
};
export type Facts = ReadonlyMap<string, Fact>;

type Fold<S, E> = { initialState: S; evolve: (state: S, event: E) => S };

export type FactTracker<S, Name extends string> = {
  apply(event: Recorded): void;
  /** Continues with a later state, whose events are not known. */
  skipTo(state: S): void;
  state(): S;
  facts: Readonly<Record<Name, Facts>>;
};

/** Folds a stream, and notes the event with which each fact began and ended. */
export function trackFacts<S, E extends DomainEvent, Name extends string>(
  { initialState, evolve }: Fold<S, E>,
  aspects: Readonly<Record<Name, Aspect<S>>>,
): FactTracker<S, Name> {
  const names = Object.keys(aspects) as Name[];
  const facts = Object.fromEntries(names.map((name) => [name, new Map<string, Fact>()])) as Record<
    Name,
    Map<string, Fact>
  >;
  let state = initialState;

  function moveTo(next: S, cause: Cause | null): void {
    for (const name of names) {
      const { partOf, namesIn } = aspects[name];
      if (partOf(next) !== partOf(state)) updateFacts(facts[name], new Set(namesIn(next)), cause);
    }
    state = next;
  }

  return {
    apply: (event) => moveTo(evolve(state, event as unknown as E), causeOf(event)),
    skipTo: (next) => moveTo(next, null),
    state: () => state,
    facts,
  };
}

function updateFacts(facts: Map<string, Fact>, holding: ReadonlySet<string>, cause: Cause | null): void {
  for (const [name, fact] of facts) {
    if (fact.holds && !holding.has(name)) facts.set(name, { holds: false, since: fact.since, until: cause });
  }
  for (const name of holding) {
    if (!facts.get(name)?.holds) facts.set(name, { holds: true, since: cause, until: null });
  }
}

function causeOf({ id, type, committedAt, position, metadata }: Recorded): Cause {
  const { requestId, actor } = metadata;
  return { id, type, at: committedAt, position, requestId, actor };
}
