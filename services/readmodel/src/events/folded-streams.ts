import { withoutErased } from '@gatebook/domain/audit/event-data';
import { catalog } from '@gatebook/domain/catalog';
import type { EventDefinition, Recorded } from '@gatebook/domain/event';
import type { EventStore } from '@gatebook/eventlog/port';
import { createLruCache, type LruCache } from '@gatebook/runtime/lru-cache';

/** A state after an event of a long stream. `until`: when to forget it, in milliseconds of this process. */
type Remembered<State> = { state: State; event: Pick<Recorded, 'id' | 'revision' | 'position'>; until: number };
/** The stream decides which events there are. `remembered`: of long streams, so that few events are read again. */
export type Fold<State> = {
  initialState: State;
  evolve: (state: State, event: Recorded) => State;
  remembered: LruCache<Remembered<State>>;
};
export type StreamStore = Pick<EventStore, 'readStreamPages' | 'readEarlier' | 'revisionsOf'>;
/** A stream after its last event up to a position. */
export type Wanted = { stream: string; position: bigint } | null;

/** Events of several streams that are in memory at a time. A longer stream is read by pages. */
const maxBatch = 500;
/** Other requests need connections too. */
const readsAtOnce = 3;
/** Reading fewer events takes as long as a few. */
const longStream = 100;
const maxRemembered = 100;
/** States have personal data, and what no event tells, such as a lost key, reaches them only so. */
const rememberedMs = 60_000;

export const createFold = <State>(initialState: State, evolve: Fold<State>['evolve']): Fold<State> => ({
  initialState,
  evolve,
  remembered: createLruCache(maxRemembered),
});

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
  const take = async (stream: string, foldTo: (positions: readonly bigint[]) => Promise<State[]>) => {
    const places = byStream.get(stream) ?? [];
    const states = await foldTo(places.map(({ position }) => position));
    for (const [at, { nth }] of places.entries()) found[nth] = states[at];
  };
  const readNext = async () => {
    for (let batch = batches.shift(); batch; batch = batches.shift()) {
      const [{ stream } = { stream: '' }] = batch;
      if (batch.length === 1) await take(stream, (positions) => foldStream(store, fold, stream, positions));
      else {
        const events = Map.groupBy(await store.readEarlier(batch), (event) => event.stream);
        for (const one of batch) {
          await take(one.stream, (positions) => foldUpTo(() => [events.get(one.stream) ?? []], fold, positions));
        }
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
  const first = await foldPages(read(), fold, positions);
  if (!first.isDeleted) return first.states;
  return (await foldPages(read(), fold, positions, { prepare: withoutPersonal })).states;
}

/** The same of one stream, of which it only reads what it does not remember. */
async function foldStream<State>(
  store: StreamStore,
  fold: Fold<State>,
  stream: string,
  positions: readonly bigint[],
): Promise<State[]> {
  const from = fold.remembered.get(stream);
  if (from && from.until > performance.now() && positions.every((position) => position >= from.event.position)) {
    const pages = store.readStreamPages(stream, {}, from.event.revision - 1n);
    const continued = await foldPages(pages, fold, positions, { from });
    if (continued.isContinuous && !continued.isDeleted) {
      remember(fold, stream, continued.last);
      return continued.states;
    }
    fold.remembered.delete(stream);
  }
  const whole = await foldPages(store.readStreamPages(stream), fold, positions);
  if (whole.isDeleted) return foldUpTo(() => store.readStreamPages(stream), fold, positions);
  remember(fold, stream, whole.last);
  return whole.states;
}

function remember<State>({ remembered }: Fold<State>, stream: string, last: Last<State>): void {
  if (!last.event || last.event.revision < longStream) return;
  const { id, revision, position } = last.event;
  // Readers at an earlier place read the whole stream.
  if (position < (remembered.get(stream)?.event.position ?? 0n)) return;
  const until = performance.now() + rememberedMs;
  remembered.set(stream, { state: last.state, event: { id, revision, position }, until }, 1);
}

type Last<State> = { state: State; event: Pick<Recorded, 'id' | 'revision' | 'position'> | null };
/**
 * `last`: the last event that counts, and the state after it. `isContinuous`: the log still has the event that the
 * pages began with.
 */
type Folded<State> = { states: State[]; isDeleted: boolean; last: Last<State>; isContinuous: boolean };

/** `from`: the pages begin with its event. */
async function foldPages<State>(
  pages: Pages,
  { initialState, evolve }: Fold<State>,
  positions: readonly bigint[],
  { from, prepare }: { from?: Remembered<State>; prepare?: (event: Recorded) => Recorded } = {},
): Promise<Folded<State>> {
  const ascending = positions
    .map((position, nth) => ({ position, nth }))
    .sort((one, other) => (one.position < other.position ? -1 : 1));
  const states = positions.map(() => initialState);
  let last: Last<State> = from ?? { state: initialState, event: null };
  let isDeleted = false;
  let isContinuous = from === undefined;
  let next = 0;
  const takeBefore = (position: bigint | null) => {
    for (let wanted = ascending[next]; wanted; wanted = ascending[next]) {
      if (position !== null && wanted.position >= position) return;
      states[wanted.nth] = last.state;
      next += 1;
    }
  };
  for await (const page of pages) {
    for (const event of page) {
      if (event.id === from?.event.id) {
        isContinuous = true;
        continue;
      }
      takeBefore(event.position);
      if (next < ascending.length) last = { state: evolve(last.state, prepare?.(event) ?? event), event };
      if (/^(User|Team)(Deleted|DeletionScheduled)$/.test(event.type)) isDeleted = true;
      else if (/^(User|Team)DeletionCanceled$/.test(event.type)) isDeleted = false;
    }
  }
  takeBefore(null);
  return { states, isDeleted, last, isContinuous };
}

const definitions: Readonly<Record<string, EventDefinition>> = catalog;

const withoutPersonal = (event: Recorded): Recorded => ({
  ...event,
  data: withoutErased(event.data, definitions[event.type] ?? {}, () => true),
});
