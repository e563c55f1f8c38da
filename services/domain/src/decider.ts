/** Pure rules of one aggregate: `decide` may reject (throws DomainError), `evolve` never does. */
export type Decider<State, Command, Event> = {
  initialState: State;
  decide: (command: Command, state: State) => readonly Event[];
  evolve: (state: State, event: Event) => State;
};

/** The default branch of an exhaustive switch: does not compile while a case is missing. */
export function unreachable(value: never): never {
  throw new Error(`unreachable: ${JSON.stringify(value)}`);
}

/** Decides several commands on one stream as one: each sees what the ones before it decided; one rejection rejects all. */
export function decideInTurn<S, C, E>(decider: Decider<S, C, E>, commands: readonly C[], state: S): readonly E[] {
  const events: E[] = [];
  let now = state;
  for (const command of commands) {
    const decided = decider.decide(command, now);
    events.push(...decided);
    now = decided.reduce(decider.evolve, now);
  }
  return events;
}
