import type { EventListView, EventTypeListView } from '@gatebook/contract/events/events';
import { queryOf } from './app/fields.ts';
import type { Json } from './json.ts';
import { followLive, type LiveOptions, openThrough } from './live.ts';
import type { PublicEvent, PublicEventOf, PublicEventType } from './public-events.ts';
import type { Send } from './transport.ts';

/** A type of event, or the beginning of some: `user.*`. */
export type EventTypePattern = PublicEventType | Wildcard<PublicEventType>;
type Wildcard<Type extends string> = Type extends `${infer Subject}.${string}` ? `${Subject}.*` : never;

/** The events that patterns stand for, discriminated by `type`. */
export type EventsMatching<Pattern extends EventTypePattern> = PublicEventOf<TypesMatching<Pattern>>;
type TypesMatching<Pattern extends EventTypePattern> = Pattern extends `${infer Subject}.*`
  ? Extract<PublicEventType, `${Subject}.${string}`>
  : Extract<Pattern, PublicEventType>;

export type EventFilters<Pattern extends EventTypePattern = EventTypePattern> = {
  /** All types if absent. */
  types?: readonly Pattern[] | undefined;
  userId?: string | undefined;
  teamId?: string | undefined;
};

export type ListEventsOptions<Pattern extends EventTypePattern = EventTypePattern> = EventFilters<Pattern> & {
  /** A cursor. Absent: from the first event of the project; `head`: only new events. */
  after?: string | undefined;
  /** Up to 1,000; 100 by default. */
  limit?: number | undefined;
  /** In milliseconds since 1970, included. */
  sinceMillis?: number | undefined;
  /** In milliseconds since 1970, not included. */
  untilMillis?: number | undefined;
  /** How long to wait for an event if there is none, up to 30,000. */
  waitInMillis?: number | undefined;
  /** Ends the call. */
  signal?: AbortSignal | undefined;
};

/** Oldest first. A page can be short, or empty, and have a next one. */
export type EventPage<Event = PublicEvent> = {
  items: readonly Event[];
  /** Where to go on, also past events that the filters left out. */
  nextAfter: string;
  hasMore: boolean;
  /** The cursor after the newest event of the project. */
  headAfter: string;
};

export type EventTypeDescription = {
  type: string;
  description: string;
  tags: readonly string[];
  /** JSON Schema of the event. */
  schema: Readonly<Record<string, Json>>;
  /** An example of `data`. */
  example: Readonly<Record<string, Json>>;
};

export type EventMethods = {
  /** What happened in the project. Events keep the names of the wire format. */
  listEvents<Pattern extends EventTypePattern = EventTypePattern>(
    options?: ListEventsOptions<Pattern>,
  ): Promise<EventPage<EventsMatching<Pattern>>>;
  /** @throws KnownError EVENT_NOT_FOUND */
  getEvent(id: string): Promise<PublicEvent>;
  listEventTypes(): Promise<readonly EventTypeDescription[]>;
  /** New events as they happen. Connects again by itself, without loss. @throws when the right to read is lost */
  followEvents<Pattern extends EventTypePattern = EventTypePattern>(
    options?: EventFilters<Pattern> & LiveOptions,
  ): AsyncGenerator<EventsMatching<Pattern>, void, undefined>;
};

/** `sendUntil`: calls that the signal ends. */
export const eventMethods = (send: Send, sendUntil: (signal: AbortSignal) => Send): EventMethods => ({
  listEvents: async ({ signal, ...options } = {}) => {
    const sendPage = signal ? sendUntil(signal) : send;
    const page = await sendPage<EventListView>('GET', `/events${queryOf(options)}`);
    return {
      items: page.items as never[],
      nextAfter: page.next_after,
      hasMore: page.has_more,
      headAfter: page.head_after,
    };
  },
  getEvent: (id) => send('GET', `/events/${encodeURIComponent(id)}`),
  listEventTypes: async () => (await send<EventTypeListView>('GET', '/events/types')).items,
  followEvents: async function* ({ after, signal, onConnection, ...filters } = {}) {
    const pathAfter = (cursor: string) => `/events/stream${queryOf({ ...filters, after: cursor })}`;
    for await (const { data } of followLive<never>(openThrough(send, pathAfter), { after, signal, onConnection }))
      yield data;
  },
});
