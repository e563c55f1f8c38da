import { randomBytes } from 'node:crypto';
import type { WebhookResult, WebhookSender } from '@gatebook/commands/webhook/sender';
import { unknownSignIn } from '@gatebook/domain/user/events';
import { createResponseCipher } from '@gatebook/eventlog/encryption/response-cipher';
import { createRecord, silentLogger as logger, testMetadata } from '@gatebook/projections/testing/test-log';
import { startReadSide } from '@gatebook/readmodel/testing/read-side';
import { webhooksChannel } from '@gatebook/readmodel/webhooks/delivery-tables';
import type { WebhookEndpoint } from '@gatebook/readmodel/webhooks/endpoints';
import { createWebhookDeliveries } from '@gatebook/readmodel/webhooks/webhook-deliveries';
import { newId } from '@gatebook/runtime/ids';
import { pollDeadlineMs } from '@gatebook/runtime/testing/deadlines';
import { expect } from 'vitest';
import { followFeed } from '../follow-feed.ts';
import type { EndpointTrouble, WebhookParts } from '../parts.ts';
import { createRecentEvents } from '../recent-events.ts';
import { runReplays } from '../run-replays.ts';
import { type Sending, startSending } from '../send-webhooks.ts';

export const answered = (statusCode: number | null, given: Partial<WebhookResult> = {}): WebhookResult => ({
  ...{ statusCode, errorCode: statusCode === null ? 'timeout' : null, durationMs: 5, responseBody: '' },
  ...{ retryAfterMs: null, ...given },
});

/** A request as a receiver sees it. */
export type Received = {
  endpointId: string;
  id: string;
  body: string;
  type: string;
  data: Record<string, unknown>;
  at: string;
};
export type Answer = (request: Received) => WebhookResult | Promise<WebhookResult>;

/**
 * A log with read models and webhooks, whose receivers are functions. The clock stands still unless it is advanced; it
 * begins with the time of the database.
 */
export async function startHooks({ isRealTime = false }: { isRealTime?: boolean } = {}) {
  const side = await startReadSide();
  const { store, db, readModels, pools, keyring, listener, database } = side;
  const responseCipher = createResponseCipher(randomBytes(32), keyring);
  const byId = new Map<string, WebhookEndpoint>();
  const answers = new Map<string, Answer>();
  const received: Received[] = [];
  const troubles: { endpointId: string; kind: EndpointTrouble['kind'] }[] = [];
  let projects = 0;
  let now = Date.now();
  const clock = () => new Date(isRealTime ? Date.now() : now).toISOString();
  const ring = () => database.pool.query(`select pg_notify('${webhooksChannel}', '')`);

  const sender: WebhookSender = {
    send: async (target, { id, body }, { at }) => {
      const endpointId = (target as WebhookEndpoint).id;
      const request = { endpointId, id, body, at, ...JSON.parse(body) };
      received.push({ ...request, id });
      return (answers.get(endpointId) ?? (() => answered(200)))(request);
    },
    close: () => undefined,
  };
  const parts: WebhookParts = {
    ...{ pool: pools.worker, db, store, readModels, responseCipher, sender, listener, newId, logger },
    endpoints: {
      projects: async () => [...new Set([...byId.values()].map(({ projectId }) => projectId))],
      list: async (projectId) => [...byId.values()].filter((one) => one.projectId === projectId),
      find: async (_, id) => byId.get(id) ?? null,
    },
    recent: createRecentEvents(),
    ...(!isRealTime && { clock }),
    random: () => 0.5,
    onTrouble: async ({ endpoint, kind }) => {
      troubles.push({ endpointId: endpoint.id, kind });
      if (kind !== 'warning') change(endpoint.id, { isEnabled: false, disabledReason: kind });
    },
  };

  function change(id: string, given: Partial<WebhookEndpoint>): void {
    const endpoint = byId.get(id);
    if (endpoint) byId.set(id, { ...endpoint, ...given });
  }

  /** An endpoint from the first event on. */
  function addEndpoint(projectId: string, given: Partial<WebhookEndpoint> = {}, answer?: Answer): WebhookEndpoint {
    const id = newId();
    const secrets = [{ secret: `whsec_${randomBytes(32).toString('base64')}`, expiresAt: null }];
    const endpoint: WebhookEndpoint = {
      ...{ projectId, id, url: 'https://shop.example/hooks', description: '', types: null, ordering: 'subject' },
      ...{ rateLimitPerSecond: null, headers: {}, secrets, isEnabled: true, disabledReason: null },
      ...{ startAfter: { position: '0', index: 0, nth: 0 }, createdAt: new Date(now), ...given },
    };
    byId.set(id, endpoint);
    if (answer) answers.set(id, answer);
    return endpoint;
  }

  const running: { stop(): Promise<void> }[] = [];

  /** A process that sends. */
  async function send(given: Partial<WebhookParts> = {}): Promise<Sending> {
    const sending = await startSending({ ...parts, ...given });
    running.push(sending);
    return sending;
  }

  /** What the leading process does. */
  function lead(): void {
    const stopping = new AbortController();
    const ended = Promise.all([followFeed(parts, stopping.signal), runReplays(parts, stopping.signal)]);
    running.push({
      stop: async () => {
        stopping.abort();
        await ended;
      },
    });
  }

  const recordOf = new Map<string, ReturnType<typeof createRecord>>();
  function record(projectId: string): ReturnType<typeof createRecord> {
    const known = recordOf.get(projectId);
    if (known) return known;
    const made = createRecord(store, () => ({ ...testMetadata, projectId, requestId: newId() }));
    recordOf.set(projectId, made);
    return made;
  }

  return {
    ...side,
    ...{ parts, addEndpoint, change, send, lead, received, troubles, ring, answers },
    deliveries: createWebhookDeliveries({ pool: pools.api, db, readModels, store, responseCipher, newId }),
    /** The ID of a project that no other test uses. */
    newProject: () => `shop-${projects++}`,
    /** Moves the clock and lets the senders look. */
    advance: async (ms: number) => {
      now += ms;
      await ring();
    },
    /** A new user, renamed some times. @returns the ID */
    addUser: async (projectId: string, { renames = 0, userId = newId() } = {}): Promise<string> => {
      const at = '2026-01-15T12:00:00.000Z';
      const metadata = { clientMetadata: null, clientReadOnlyMetadata: null, serverMetadata: null };
      const person = { profileImageUrl: null, isAnonymous: false, method: 'password' as const, displayName: 'Name 0' };
      const data = { ...unknownSignIn, userId, projectId, ...person, ...metadata, at };
      await record(projectId)(`user-${userId}`, { type: 'UserCreated', data });
      for (let nth = 1; nth <= renames; nth += 1) {
        await record(projectId)(`user-${userId}`, {
          type: 'UserRenamed',
          data: { userId, displayName: `Name ${nth}`, at },
        });
      }
      return userId;
    },
    /** The requests to an endpoint, once there are at least `count`. */
    requestsTo: async ({ id }: WebhookEndpoint, count: number): Promise<Received[]> => {
      const found = () => received.filter(({ endpointId }) => endpointId === id);
      await expect.poll(() => found().length, { timeout: pollDeadlineMs, interval: 5 }).toBeGreaterThanOrEqual(count);
      return found();
    },
    /** Statuses of the deliveries of an endpoint, once none is being sent. */
    statuses: async ({ id }: WebhookEndpoint): Promise<string[]> => {
      const sql = 'select status, lease from webhooks.deliveries where endpoint_id = $1 order by position, index, nth';
      const read = async () => (await database.pool.query<{ status: string; lease: string | null }>(sql, [id])).rows;
      await expect.poll(async () => (await read()).every(({ lease }) => lease === null)).toBe(true);
      return (await read()).map(({ status }) => status);
    },
    stop: async () => {
      await Promise.all(running.splice(0).map((one) => one.stop()));
    },
    close: async () => {
      await Promise.all(running.splice(0).map((one) => one.stop()));
      await side.close();
    },
  };
}
