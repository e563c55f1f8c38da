import { withoutErased } from '@gatebook/domain/audit/event-data';
import { catalog } from '@gatebook/domain/catalog';
import type { EventDefinition, Recorded } from '@gatebook/domain/event';
import type { EventStore } from '@gatebook/eventlog/port';

/** The stream decides which events there are. */
export type Fold<State> = { initialState: State; evolve: (state: State, event: Recorded) => State };
export type StreamStore = Pick<EventStore, 'readStreamPages' | 'readEarlier' | 'revisionsOf'>;
/** A stream after its last event up to a position. */
export type Wanted = { stream: string; position: bigint } | null;

/** Events of several streams that are in memory at a time. A longer stream is read by pages. */
const maxBatch = 500;
/** Other requests need connections too. */
const readsAtOnce = 3;

/**
 * The states of streams at positions. Reads each stream once, and short ones together. A user or team that is deleted
 * by now has no personal data, also while it can be restored or its key is not destroyed yet.
 */
export async function foldAll<State>(
  store: StreamStore,
  fold: Fold<State>,
  wanted: readonly Wanted[],
): Promise<(State | undefined)[]> {
  const byStream = new Map<string, { position: bigint; nth: number }[]>();
  for (const [nth, one] of wanted.entries()) {
    if (one) byStream.set(one.stream, [...(byStream.get(one.stream) ?? []), { position: one.position, nth }]);
  }
  const found: (State | undefined)[] = wanted.map(() => undefined);
  if (byStream.size === 0) return found;
  const batches = batchesOf(await store.revisionsOf([...byStream.keys()]));
  const take = async (stream: string, read: () => Pages) => {
    const places = byStream.get(stream) ?? [];
    const positions = places.map(({ position }) => position);
    const states = await foldUpTo(read, fold, positions);
    for (const [at, { nth }] of places.entries()) found[nth] = states[at];
  };
  const readNext = async () => {
    for (let batch = batches.shift(); batch; batch = batches.shift()) {
      const [{ stream } = { stream: '' }] = batch;
      if (batch.length === 1) await take(stream, () => store.readStreamPages(stream));
      else {
        const events = Map.groupBy(await store.readEarlier(batch), (event) => event.stream);
        for (const one of batch) await take(one.stream, () => [events.get(one.stream) ?? []]);
      }
    }
  };
  await Promise.all(Array.from({ length: readsAtOnce }, readNext));
  return found;
}

type Pages = AsyncIterable<readonly Recorded[]> | Iterable<readonly Recorded[]>;

/** `revision`: the events before it are all of the stream. */
type Length = { stream: string; revision: bigint };

function batchesOf(revisions: ReadonlyMap<string, bigint>): Length[][] {
  const batches: Length[][] = [];
  let events = Number.POSITIVE_INFINITY;
  for (const [stream, last] of revisions) {
    const revision = last + 1n;
    events += Number(revision);
    if (events > maxBatch) {
      batches.push([]);
      events = Number(revision);
    }
    batches.at(-1)?.push({ stream, revision });
  }
  return batches;
}

/** The states after the last event up to each of these positions, in their order. */
async function foldUpTo<State>(read: () => Pages, fold: Fold<State>, positions: readonly bigint[]): Promise<State[]> {
  const first = await foldPages(read(), fold, positions, (event) => event);
  if (!first.isDeleted) return first.states;
  return (await foldPages(read(), fold, positions, withoutPersonal)).states;
}

async function foldPages<State>(
  pages: Pages,
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
  for await (const page of pages) {
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
