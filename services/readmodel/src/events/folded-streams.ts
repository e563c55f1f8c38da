import { withoutErased } from '@gatebook/domain/audit/event-data';
import { catalog } from '@gatebook/domain/catalog';
import type { EventDefinition, Recorded } from '@gatebook/domain/event';
import type { EventStore } from '@gatebook/eventlog/port';

/** The stream decides which events there are. */
export type Fold<State> = { initialState: State; evolve: (state: State, event: Recorded) => State };
type Store = Pick<EventStore, 'readStreamPages'>;

/**
 * The states of a stream after the last event up to each of these positions, in their order. A user or team that is
 * deleted by now has no personal data, also while it can be restored or its key is not destroyed yet.
 */
export async function foldUpTo<State>(
  store: Store,
  stream: string,
  fold: Fold<State>,
  positions: readonly bigint[],
): Promise<State[]> {
  const first = await foldPages(store, stream, fold, positions, (event) => event);
  if (!first.isDeleted) return first.states;
  return (await foldPages(store, stream, fold, positions, withoutPersonal)).states;
}

async function foldPages<State>(
  store: Store,
  stream: string,
  { initialState, evolve }: Fold<State>,
  positions: readonly bigint[],
  prepare: (event: Recorded) => Recorded,
): Promise<{ states: State[]; isDeleted: boolean }> {
  const ascending = positions
    .map((position, nth) => ({ position, nth }))
    .sort((one, other) => (one.position < other.position ? -1 : 1));
  const states = positions.map(() => initialState);
  let state = initialState;
  let isDeleted = false;
  let next = 0;
  const takeBefore = (position: bigint | null) => {
    for (let wanted = ascending[next]; wanted; wanted = ascending[next]) {
      if (position !== null && wanted.position >= position) return;
      states[wanted.nth] = state;
      next += 1;
    }
  };
  for await (const page of store.readStreamPages(stream)) {
    for (const event of page) {
      takeBefore(event.position);
      if (next < ascending.length) state = evolve(state, prepare(event));
      if (/^(User|Team)(Deleted|DeletionScheduled)$/.test(event.type)) isDeleted = true;
      else if (/^(User|Team)DeletionCanceled$/.test(event.type)) isDeleted = false;
    }
  }
  takeBefore(null);
  return { states, isDeleted };
}

const definitions: Readonly<Record<string, EventDefinition>> = catalog;

const withoutPersonal = (event: Recorded): Recorded => ({
  ...event,
  data: withoutErased(event.data, definitions[event.type] ?? {}, () => true),
});
