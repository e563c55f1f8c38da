/** Pure rules of one aggregate. `decide` may reject (throw a DomainError); `evolve` never throws. */
export type Decider<State, Command, Event> = {
  initialState: State;
  decide: (command: Command, state: State) => readonly Event[];
  evolve: (state: State, event: Event) => State;
  /** Names the code of `evolve`, for stored states (`npm run record:states`). */
  stateVersion?: string;
};

/** The default branch of an exhaustive switch: does not compile while a case is missing. */
export function unreachable(value: never): never {
  throw new Error(`unreachable: ${JSON.stringify(value)}`);
}

/**
 * Decides several commands on one stream as one: each sees the events of the previous ones, and one rejection rejects
 * all.
 */
export function decideAll<S, C, E>(decider: Decider<S, C, E>, commands: readonly C[], state: S): readonly E[] {
  const events: E[] = [];
  let current = state;
  for (const command of commands) {
    const decided = decider.decide(command, current);
    events.push(...decided);
    current = decided.reduce(decider.evolve, current);
  }
  return events;
}
