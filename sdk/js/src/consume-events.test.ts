import { expect, expectTypeOf, test } from 'vitest';
import { type ConsumeOptions, consumeEvents, StuckEventError } from './consume-events.ts';
import type { ConsumerStore } from './consumer-store.ts';
import { AnswerError, ConnectionError, KnownError } from './errors.ts';
import type { EventMethods, EventPage, ListEventsOptions } from './events.ts';
import type { PublicEvent } from './public-events.ts';

const eventNamed = (id: string) => ({ id, type: 'team.deleted', cursor: `after ${id}`, data: { id } }) as PublicEvent;

/** A feed of these events, two per page. It calls `onRead` before each page, which can throw. */
function feedOf(ids: readonly string[], onRead: (options: ListEventsOptions) => void = () => undefined) {
  const read: ListEventsOptions[] = [];
  const listEvents = async (options: ListEventsOptions = {}): Promise<EventPage> => {
    read.push(options);
    onRead(options);
    const cursors = ids.map((id) => `after ${id}`);
    const at = options.after === 'head' ? ids.length : cursors.indexOf(options.after ?? '') + 1;
    const items = options.after?.startsWith('idle') ? [] : ids.slice(at, at + 2).map(eventNamed);
    const nextAfter = items.at(-1)?.cursor ?? `idle ${read.length}`;
    return { items, nextAfter, hasMore: false, headAfter: cursors.at(-1) ?? '' };
  };
  return { app: { listEvents } as unknown as Pick<EventMethods, 'listEvents'>, read };
}

/** Transactions on a list of effects. */
function memoryStore() {
  const state = { cursor: null as string | null, effects: [] as string[] };
  const store: ConsumerStore<string[]> = {
    load: async () => state.cursor,
    advance: async (_, from, to, effect) => {
      if (state.cursor !== from) return false;
      const draft = [...state.effects];
      await effect(draft);
      Object.assign(state, { cursor: to, effects: draft });
      return true;
    },
  };
  return { store, state };
}

/** Runs a consumer until the feed is at its end and it waits. */
async function consume(
  feed: ReturnType<typeof feedOf>,
  options: Partial<ConsumeOptions<string[], 'team.deleted'>> & { store: ConsumerStore<string[]> },
) {
  const stop = new AbortController();
  const pauses: number[] = [];
  const errors: unknown[] = [];
  const listEvents = async (page: ListEventsOptions = {}) => {
    if (page.after?.startsWith('idle')) stop.abort();
    return feed.app.listEvents(page as never);
  };
  await consumeEvents<string[], 'team.deleted'>({
    app: { listEvents } as unknown as Pick<EventMethods, 'listEvents'>,
    name: 'copy',
    handle: async ({ id }, effects) => void effects.push(id),
    signal: stop.signal,
    onError: (error) => errors.push(error),
    parts: { wait: async (ms) => void pauses.push(ms), random: () => 0.5 },
    ...options,
  });
  return { pauses, errors };
}

test('a new consumer handles all events in order, and continues after them', async () => {
  const { store, state } = memoryStore();
  const first = feedOf(['a', 'b', 'c']);
  await consume(first, { store, types: ['team.deleted'], userId: 'u1' });
  expect(state.effects).toEqual(['a', 'b', 'c']);
  expect(first.read[0]).toMatchObject({ after: undefined, types: ['team.deleted'], userId: 'u1', waitInMillis: 0 });
  state.cursor = 'after c';
  await consume(feedOf(['a', 'b', 'c', 'd']), { store });
  expect(state.effects).toEqual(['a', 'b', 'c', 'd']);
});

test('a consumer that starts at the head stores where it begins before it waits', async () => {
  const { store, state } = memoryStore();
  const feed = feedOf(['a']);
  await consume(feed, { store, startAt: 'head' });
  expect(state).toMatchObject({ effects: [], cursor: expect.stringMatching(/^idle/) });
  expect(feed.read[0]).toMatchObject({ after: 'head', waitInMillis: 0 });
});

test('a failed event is tried again with growing delays, and nothing of the failed tries remains', async () => {
  const { store, state } = memoryStore();
  let tries = 0;
  const handle = async ({ id }: PublicEvent, effects: string[]) => {
    effects.push(id);
    if (id === 'b') tries += 1;
    if (id === 'b' && tries < 4) throw new Error('busy');
  };
  const { pauses, errors } = await consume(feedOf(['a', 'b', 'c']), { store, handle });
  expect(state.effects).toEqual(['a', 'b', 'c']);
  expect(pauses).toEqual([1_000, 2_000, 4_000]);
  expect(errors.map(String)).toEqual(Array(3).fill('Error: busy'));
});

const poison = async ({ id }: PublicEvent, effects: string[]) => {
  if (id === 'b') throw new Error('poison');
  effects.push(id);
};

test('an event that keeps failing stops the consumer', async () => {
  const { store, state } = memoryStore();
  const stopped = consume(feedOf(['a', 'b', 'c']), { store, handle: poison, attempts: 3 });
  await expect(stopped).rejects.toThrow('The event b (team.deleted) failed 3 times.');
  await expect(stopped).rejects.toBeInstanceOf(StuckEventError);
  await expect(stopped).rejects.toMatchObject({ cause: new Error('poison') });
  expect(state).toEqual({ cursor: 'after a', effects: ['a'] });
});

test('an event that keeps failing can be parked, together with the move past it', async () => {
  const { store, state } = memoryStore();
  let parks = 0;
  await consume(feedOf(['a', 'b', 'c']), {
    store,
    handle: poison,
    attempts: 2,
    onStuck: async ({ event, attempts }, effects) => {
      effects.push(`parked ${event.id} after ${attempts}`);
      parks += 1;
      if (parks === 1) throw new Error('database is away');
    },
  });
  expect(state.effects).toEqual(['a', 'parked b after 2', 'c']);
});

test('failures of network, server and store are waited for, and count for no event', async () => {
  const { store, state } = memoryStore();
  const faults: unknown[] = [new ConnectionError(true, { isOnline: false }, null), new AnswerError('/events', 503, '')];
  const feed = feedOf(['a', 'b'], () => {
    const fault = faults.shift();
    if (fault) throw fault;
  });
  let commits = 0;
  const failing: typeof store = {
    load: store.load,
    // The first commit fails without a trace, the second one after it has happened.
    advance: async (...args) => {
      commits += 1;
      if (commits === 1) throw new Error('connection lost');
      const hasMoved = await store.advance(...args);
      if (commits === 2) throw new Error('connection lost');
      return hasMoved;
    },
  };
  const { errors } = await consume(feed, { store: failing, attempts: 1 });
  expect(state.effects).toEqual(['a', 'b']);
  expect(errors).toHaveLength(4);
});

test('what the server rejects ends the consumer', async () => {
  const feed = feedOf(['a'], () => {
    throw new KnownError('EVENT_CURSOR_INVALID', 400, 'ahead of log', {});
  });
  await expect(consume(feed, { store: memoryStore().store })).rejects.toMatchObject({ code: 'EVENT_CURSOR_INVALID' });
});

test('a store that cannot be read at the start ends the consumer', async () => {
  const store = { ...memoryStore().store, load: () => Promise.reject(new Error('no such table')) };
  await expect(consume(feedOf([]), { store })).rejects.toThrow('no such table');
});

test('two workers with one name share the events', async () => {
  const { store, state } = memoryStore();
  const ids = Array.from({ length: 20 }, (_, index) => `e${index}`);
  await Promise.all([consume(feedOf(ids), { store }), consume(feedOf(ids), { store })]);
  expect(state.effects).toEqual(ids);
});

test('the signal lets the event at work end, and begins no other', async () => {
  const { store, state } = memoryStore();
  const stop = new AbortController();
  const handle = async ({ id }: PublicEvent, effects: string[]) => {
    stop.abort();
    effects.push(id);
  };
  await consume(feedOf(['a', 'b']), { store, handle, signal: stop.signal });
  expect(state).toEqual({ cursor: 'after a', effects: ['a'] });
});

test('events are typed by the wanted types', () => {
  type Handled = Parameters<ConsumeOptions<unknown, 'team.created' | 'mfa.*'>['handle']>[0];
  expectTypeOf<Handled['type']>().toEqualTypeOf<'team.created' | 'mfa.enabled' | 'mfa.disabled'>();
  expectTypeOf<Extract<Handled, { type: 'team.created' }>['data']['display_name']>().toEqualTypeOf<string>();
});
