import { reject } from '@gatebook/domain/errors';
import { typesNamed } from '@gatebook/domain/public-events/type-names';
import type { ResponseCipher } from '@gatebook/eventlog/encryption/response-cipher';
import type { EventStore } from '@gatebook/eventlog/port';
import type { Pool } from '@gatebook/runtime/postgres';
import { type FeedParts, type FeedPlace, feedBound, feedStart } from '../events/feed.ts';
import { findPublicEvent } from '../events/find-public-events.ts';
import { countEventRows } from '../events/queries.ts';
import {
  type Attempt,
  type Delivery,
  type DeliveryFilters,
  type DeliveryPage,
  type DeliveryState,
  deliveryState,
  findDelivery,
  listAttempts,
  listDeliveries,
  resendDelivery,
} from './delivery-lists.ts';
import type { WebhookEndpoint } from './endpoints.ts';
import { messageBody, responseName } from './message.ts';
import { countMatches, type MatchCount, type Replay } from './replay-matches.ts';
import { addReplay, cancelReplay, findReplay, type ReplayProgress } from './replays.ts';

type Parts = Omit<FeedParts, 'store'> & {
  pool: Pool;
  store: FeedParts['store'] & Pick<EventStore, 'identify' | 'head'>;
  responseCipher: ResponseCipher;
  newId: () => string;
  /** How long a replay counts its events before it begins. */
  countingMs?: number;
};
type EndpointPlace = Pick<WebhookEndpoint, 'id' | 'types' | 'startAfter'>;
/** Times are in milliseconds since 1970. `lag`: events after the place, counted up to 10,000. */
export type EndpointState = Omit<DeliveryState, 'place'> & { place: FeedPlace; lag: number };
/** `from`: the place after which the events are; null: from the first one. */
export type NewReplay = Pick<Replay, 'wanted' | 'since' | 'until'> & {
  types: readonly string[] | null;
  from: FeedPlace | null;
};

/** What was and will be sent to the endpoints of projects, for the API. */
export type WebhookDeliveries = {
  /** In their order. */
  states<Endpoint extends EndpointPlace>(
    projectId: string,
    endpoints: readonly Endpoint[],
  ): Promise<[Endpoint, EndpointState][]>;
  list(projectId: string, endpointId: string, filters: DeliveryFilters): Promise<DeliveryPage>;
  find(projectId: string, id: string): Promise<Delivery | null>;
  /** The body that would be sent now; null if the event is not there any more. */
  bodyOf(projectId: string, delivery: Pick<Delivery, 'eventId' | 'cursor'>): Promise<string | null>;
  /** Oldest first, with decrypted responses. */
  attempts(projectId: string, deliveryId: string): Promise<Omit<Attempt, 'subjects'>[]>;
  /** @returns false if there is no such delivery */
  resend(projectId: string, id: string): Promise<boolean>;
  /**
   * @returns how many events it sends, at least, and its ID unless it is a dry run or there are none
   * @throws DomainError WEBHOOK_ENDPOINT_NOT_FOUND if the endpoint was deleted meanwhile
   */
  replay(
    projectId: string,
    endpoint: EndpointPlace,
    replay: NewReplay,
    options: { isDryRun: boolean },
  ): Promise<MatchCount & { id: string | null }>;
  findReplay(projectId: string, id: string): Promise<ReplayProgress | null>;
  /** @returns false if there is no such replay */
  cancelReplay(projectId: string, id: string): Promise<boolean>;
};

/** How long deliveries are kept. What was delivered before is not known. */
const keptMs = 30 * 24 * 60 * 60_000;
const maxCounted = 10_000;
const usualCountingMs = 1_000;
const noDeliveries = { pending: 0, delivered: 0, failed: 0 };
const noHealth = {
  failingSince: null,
  lastSuccessAt: null,
  lastFailureAt: null,
  successRate: null,
  p95DurationMs: null,
};

const firstPlace = ({ startAfter }: Pick<EndpointPlace, 'startAfter'>): FeedPlace => ({
  ...startAfter,
  position: BigInt(startAfter.position),
});

/** An endpoint never gets types that it does not want. */
function typesOf(types: readonly string[] | null, endpoint: Pick<EndpointPlace, 'types'>): readonly string[] | null {
  if (types === null || endpoint.types === null) return types ?? endpoint.types;
  const ofEndpoint = typesNamed(endpoint.types);
  return typesNamed(types).filter((type) => ofEndpoint.includes(type));
}

export function createWebhookDeliveries(parts: Parts): WebhookDeliveries {
  const { pool, db, responseCipher, newId, countingMs = usualCountingMs } = parts;

  return {
    states: async (projectId, endpoints) => {
      const ids = endpoints.map(({ id }) => id);
      const known = await deliveryState(pool, projectId, ids);
      const bound = feedBound(parts, projectId);
      return Promise.all(
        endpoints.map(async (endpoint) => {
          const place = known.get(endpoint.id)?.place ?? firstPlace(endpoint);
          const types = endpoint.types && typesNamed(endpoint.types);
          const lag = await countEventRows(db, projectId, types, { ...place, bound }, maxCounted);
          return [endpoint, { ...noDeliveries, ...noHealth, ...known.get(endpoint.id), place, lag }];
        }),
      );
    },
    list: (projectId, endpointId, filters) => listDeliveries(pool, projectId, endpointId, filters),
    find: (projectId, id) => findDelivery(pool, projectId, id),
    bodyOf: async (projectId, { eventId, cursor }) => {
      const found = await findPublicEvent(parts, projectId, eventId);
      return found && messageBody(found.event, cursor);
    },
    attempts: async (projectId, deliveryId) => {
      const attempts = await listAttempts(pool, projectId, deliveryId);
      return Promise.all(
        attempts.map(async ({ subjects, ...attempt }) => {
          if (attempt.response === null) return attempt;
          const encrypted = { answer: attempt.response, subjects };
          return { ...attempt, response: await responseCipher.open(responseName(deliveryId), encrypted) };
        }),
      );
    },
    resend: (projectId, id) => resendDelivery(pool, projectId, id),
    replay: async (projectId, endpoint, { wanted, types, since, until, from }, { isDryRun }) => {
      const end = (await deliveryState(pool, projectId, [endpoint.id])).get(endpoint.id)?.place ?? firstPlace(endpoint);
      const oldest = wanted === 'failed' ? null : Date.now() - keptMs;
      const replay: Replay = {
        ...{ id: newId(), projectId, endpointId: endpoint.id, wanted, until, end },
        types: typesOf(types, endpoint),
        since: oldest === null ? since : Math.max(since ?? 0, oldest),
        from: from ?? feedStart,
      };
      const count = await countMatches(parts, replay, countingMs);
      if (isDryRun || (count.matched === 0 && count.isExact)) return { id: null, ...count };
      if (!(await addReplay(pool, replay, count))) return reject('WEBHOOK_ENDPOINT_NOT_FOUND');
      return { id: replay.id, ...count };
    },
    findReplay: (projectId, id) => findReplay(pool, projectId, id),
    cancelReplay: (projectId, id) => cancelReplay(pool, projectId, id),
  };
}
