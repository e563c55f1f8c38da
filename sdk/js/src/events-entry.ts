/** Public events, and consumers of them. */
export { type ConsumeOptions, consumeEvents, type StuckEvent, StuckEventError } from './consume-events.ts';
export type { ConsumerStore } from './consumer-store.ts';
export type {
  EventFilters,
  EventMethods,
  EventPage,
  EventsMatching,
  EventTypeDescription,
  EventTypePattern,
  ListEventsOptions,
} from './events.ts';
export { type PostgresClient, type PostgresPool, postgresStore } from './postgres-store.ts';
export type { PublicEvent, PublicEventData, PublicEventOf, PublicEventType } from './public-events.ts';
