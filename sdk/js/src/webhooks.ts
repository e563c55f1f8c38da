import type {
  StartedReplayView,
  TestWebhookView,
  WebhookDeliveryDetailView,
  WebhookDeliveryListView,
  WebhookReplayView,
} from '@gatebook/contract/webhooks/deliveries';
import type {
  NewWebhookEndpointView,
  WebhookEndpointListView,
  WebhookEndpointView,
  WebhookSecretView,
  WebhooksPageToken as WebhooksPageTokenView,
} from '@gatebook/contract/webhooks/endpoints';
import { fromWire, queryOf, toWire } from './app/fields.ts';
import type { PreviewedCall } from './changes.ts';
import type { EventTypePattern } from './events.ts';
import type { Send } from './transport.ts';

/** What waits for a failing delivery: later ones about the same user or team, all later ones, or nothing. */
export type WebhookOrdering = 'subject' | 'strict' | 'none';

export type WebhookEndpoint = {
  id: string;
  url: string;
  description: string;
  /** null: all types. */
  types: readonly string[] | null;
  ordering: WebhookOrdering;
  isEnabled: boolean;
  /** `gone`: the receiver answered 410. `failing`: it accepted nothing for five days. */
  disabledReason: 'manual' | 'gone' | 'failing' | null;
  rateLimitPerSecond: number | null;
  /** In lowercase. Values of headers are never returned. */
  headerNames: readonly string[];
  /** A cursor of the feed: everything before it was sent, or waits for another attempt. */
  cursor: string;
  /** Events after the cursor, counted up to 10,000. */
  lag: number;
  failingSince: Date | null;
  lastSuccessAt: Date | null;
  lastFailureAt: Date | null;
  /** From 0 to 1, for the latest 10,000 attempts of the last 24 hours; null if there were none. */
  successRate: number | null;
  /** For the same attempts. */
  p95DurationInMillis: number | null;
  /** Among the latest 10,000 deliveries. */
  counts: { delivered: number; failed: number; pending: number };
  createdAt: Date;
};
/** With the secret that signs deliveries. */
export type NewWebhookEndpoint = WebhookEndpoint & { secret: string };

type EndpointOptions = {
  description?: string;
  /** null: all types. */
  types?: readonly EventTypePattern[] | null;
  ordering?: WebhookOrdering;
  isEnabled?: boolean;
  /** null: no limit. */
  rateLimitPerSecond?: number | null;
};
export type CreateWebhookEndpoint = EndpointOptions & {
  url: string;
  /** Sent with each delivery. */
  headers?: Readonly<Record<string, string>>;
  /** A cursor of the feed. Absent: only what happens from now on. */
  startAfter?: string;
};
export type WebhookEndpointChanges = EndpointOptions & {
  url?: string;
  /** null removes a header. Headers that are not named stay. */
  headers?: Readonly<Record<string, string | null>>;
};

/** `previousExpiresAt`: until then, earlier secrets sign deliveries too; null: there are none. */
export type WebhookSecret = { secret: string; previousExpiresAt: Date | null };

/** `pending`: another attempt follows. `parked`: it follows once the endpoint is enabled. `failed`: none follows. */
export type WebhookDeliveryStatus = 'pending' | 'delivered' | 'failed' | 'parked';
export type WebhookDelivery = {
  id: string;
  /** Also the header `webhook-id`, the same in every attempt. */
  eventId: string;
  type: string;
  status: WebhookDeliveryStatus;
  attemptCount: number;
  nextAttemptAt: Date | null;
  lastStatusCode: number | null;
  createdAt: Date;
};
export type WebhookAttempt = {
  at: Date;
  trigger: 'scheduled' | 'manual' | 'replay';
  statusCode: number | null;
  /** Why there was no response. */
  errorCode: string | null;
  durationInMillis: number;
  /** Its first 4 kB. */
  responseBody: string | null;
};
export type WebhookDeliveryDetail = WebhookDelivery & {
  endpointId: string;
  /** As it would be sent now, without signatures. `body` is null if the event no longer exists. */
  request: { headers: Readonly<Record<string, string>>; body: string | null };
  /** Those of the last 30 days, oldest first. */
  attempts: readonly WebhookAttempt[];
};
export type ListWebhookDeliveries = {
  status?: WebhookDeliveryStatus | undefined;
  type?: string | undefined;
  /** `nextBefore` of the page before. */
  before?: string | null | undefined;
  /** Up to 200. */
  limit?: number | undefined;
};
/** Newest first. */
export type WebhookDeliveryPage = { items: readonly WebhookDelivery[]; nextBefore: string | null };

/** `errorMessage` is present if the test failed. */
export type WebhookTest = {
  success: boolean;
  statusCode: number | null;
  durationInMillis: number;
  errorMessage?: string | undefined;
};

/** Begins after a cursor of the feed or at a time in milliseconds since 1970; `untilMillis` is not included. */
export type ReplayWebhooks = ({ after: string } | { sinceMillis: number }) & {
  untilMillis?: number | undefined;
  /** Deliveries that failed, what the receiver never accepted, or everything again. */
  only: 'failed' | 'missing' | 'all';
  types?: readonly EventTypePattern[] | undefined;
  /** Only counts. */
  dryRun?: boolean | undefined;
};
/** `replayId` is null if nothing is sent. `isExact: false`: at least this many events; the replay counts the others. */
export type StartedWebhookReplay = { replayId: string | null; matched: number; isExact: boolean };
export type WebhookReplay = {
  id: string;
  endpointId: string;
  status: 'running' | 'completed' | 'canceled';
  only: 'failed' | 'missing' | 'all';
  matched: number;
  isExact: boolean;
  sent: number;
  delivered: number;
  failed: number;
  createdAt: Date;
};

/** Opens the page of the project's webhooks for one hour. */
export type WebhooksPageToken = { token: string; url: string };

export type WebhooksClient = {
  list(): Promise<readonly WebhookEndpoint[]>;
  /** @throws KnownError WEBHOOK_ENDPOINT_NOT_FOUND */
  find(endpointId: string): Promise<WebhookEndpoint>;
  /** @throws KnownError WEBHOOK_URL_NOT_ALLOWED */
  create(input: CreateWebhookEndpoint): Promise<NewWebhookEndpoint>;
  /** @throws KnownError WEBHOOK_URL_NOT_ALLOWED */
  update(endpointId: string, changes: WebhookEndpointChanges): Promise<WebhookEndpoint>;
  /** Cannot be undone. */
  delete(endpointId: string): Promise<void>;
  findSecret(endpointId: string): Promise<WebhookSecret>;
  /** Earlier secrets also sign deliveries for the overlap: 24 hours by default, at most 7 days. */
  rotateSecret(endpointId: string, overlapInMillis?: number): Promise<WebhookSecret>;
  /** Makes one attempt with the example of a type; absent: `gatebook.test`. */
  test(endpointId: string, type?: string): Promise<WebhookTest>;
  listDeliveries(endpointId: string, options?: ListWebhookDeliveries): Promise<WebhookDeliveryPage>;
  findDelivery(deliveryId: string): Promise<WebhookDeliveryDetail>;
  resend(deliveryId: string): Promise<void>;
  replay(endpointId: string, replay: ReplayWebhooks): Promise<StartedWebhookReplay>;
  findReplay(replayId: string): Promise<WebhookReplay>;
  cancelReplay(replayId: string): Promise<void>;
  createPageToken(): Promise<WebhooksPageToken>;
};

const endpoints = '/webhooks/endpoints';
const endpointPath = (id: string, rest = '') => `${endpoints}/${encodeURIComponent(id)}${rest}`;
const deliveryPath = (id: string, rest = '') => `/webhooks/deliveries/${encodeURIComponent(id)}${rest}`;
const replayPath = (id: string) => `/webhooks/replays/${encodeURIComponent(id)}`;

/** What `rotateSecret` calls, for a preview. */
export const callOfSecretRotation = (id: string, overlapInMillis?: number): PreviewedCall => ({
  method: 'POST',
  path: endpointPath(id, '/rotate-secret'),
  body: toWire({ overlapInMillis }),
});

export const webhooksClient = (send: Send): WebhooksClient => ({
  list: async () => (await send<WebhookEndpointListView>('GET', endpoints)).items.map(toEndpoint),
  find: async (id) => toEndpoint(await send<WebhookEndpointView>('GET', endpointPath(id))),
  create: async (input) => {
    const view = await send<NewWebhookEndpointView>('POST', endpoints, bodyOf(input));
    return { ...toEndpoint(view), secret: view.secret };
  },
  update: async (id, changes) =>
    toEndpoint(await send<WebhookEndpointView>('PATCH', endpointPath(id), bodyOf(changes))),
  delete: async (id) => {
    await send('DELETE', endpointPath(id), {});
  },
  findSecret: async (id) => fromWire(await send<WebhookSecretView>('GET', endpointPath(id, '/secret'))),
  rotateSecret: async (id, overlapInMillis) => {
    const { method, path, body } = callOfSecretRotation(id, overlapInMillis);
    return fromWire(await send<WebhookSecretView>(method, path, body));
  },
  test: async (id, type) => fromWire(await send<TestWebhookView>('POST', endpointPath(id, '/test'), { type })),
  listDeliveries: async (id, options = {}) =>
    fromWire(await send<WebhookDeliveryListView>('GET', endpointPath(id, `/deliveries${queryOf(options)}`))),
  findDelivery: async (id) => toDeliveryDetail(await send<WebhookDeliveryDetailView>('GET', deliveryPath(id))),
  resend: async (id) => {
    await send('POST', deliveryPath(id, '/resend'), {});
  },
  replay: async (id, replay) =>
    fromWire(await send<StartedReplayView>('POST', endpointPath(id, '/replay'), toWire(replay))),
  findReplay: async (id) => fromWire(await send<WebhookReplayView>('GET', replayPath(id))),
  cancelReplay: async (id) => {
    await send('DELETE', replayPath(id), {});
  },
  createPageToken: () => send<WebhooksPageTokenView>('POST', '/webhooks/svix-token', {}),
});

/** Names of headers belong to the receiver and stay as they are. */
const bodyOf = ({ headers, ...options }: CreateWebhookEndpoint | WebhookEndpointChanges) => ({
  ...toWire(options),
  ...(headers && { headers }),
});

function toEndpoint({ failing_since_millis: failingSince, ...view }: WebhookEndpointView): WebhookEndpoint {
  return { ...fromWire(view), failingSince: failingSince === null ? null : new Date(failingSince) };
}

function toDeliveryDetail({ request, attempts, ...view }: WebhookDeliveryDetailView): WebhookDeliveryDetail {
  return {
    ...fromWire(view),
    request,
    attempts: attempts.map(({ at_millis: at, ...attempt }) => ({ ...fromWire(attempt), at: new Date(at) })),
  };
}
