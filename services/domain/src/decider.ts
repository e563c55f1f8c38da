/** Pure rules of one aggregate: `decide` may refuse (throws DomainError), `evolve` never does. */
export type Decider<State, Command, Event> = {
  initialState: State;
  decide: (command: Command, state: State) => readonly Event[];
  evolve: (state: State, event: Event) => State;
};

/** The default branch of an exhaustive switch: does not compile while a case is missing. */
export function unreachable(value: never): never {
  throw new Error(`unreachable: ${JSON.stringify(value)}`);
}
