import { createWebhookSender } from '@gatebook/commands/adapters/webhook-sender';
import type { Context, WriteDeps } from '@gatebook/commands/deps';
import { sendWebhookNotice } from '@gatebook/commands/email/webhook-notice';
import { findActiveProject } from '@gatebook/commands/project/project';
import { disableWebhookEndpoint } from '@gatebook/commands/webhook/webhook';
import { DomainError } from '@gatebook/domain/errors';
import { internalProjectId } from '@gatebook/domain/project/decide';
import type { ResponseCipher } from '@gatebook/eventlog/encryption/response-cipher';
import type { ReadModels } from '@gatebook/projections/wait';
import type { ReadDb } from '@gatebook/readmodel/read-db';
import { listProfiles } from '@gatebook/readmodel/teams/queries';
import { countPending, listPendingEndpoints } from '@gatebook/readmodel/webhooks/deliveries';
import {
  findWebhookEndpoint,
  listProjectsWithWebhooks,
  listWebhookEndpoints,
} from '@gatebook/readmodel/webhooks/endpoints';
import type { Listener } from '@gatebook/runtime/listener';
import type { Logger } from '@gatebook/runtime/logger';
import type { Pool } from '@gatebook/runtime/postgres';
import type { QueueBacklog } from '../queue/queue-problems.ts';
import { followFeed } from './follow-feed.ts';
import type { Endpoints, EndpointTrouble, WebhookParts } from './parts.ts';
import { createRecentEvents } from './recent-events.ts';
import { runReplays } from './run-replays.ts';
import { startSending } from './send-webhooks.ts';

export type WebhookDeps = {
  write: WriteDeps;
  pool: Pool;
  db: ReadDb;
  readModels: Pick<ReadModels, 'reached' | 'isQuarantined' | 'position' | 'continuity'>;
  responseCipher: ResponseCipher;
  listener?: Listener;
  logger: Logger;
  /** URL of the dashboard, for links in emails to owners. */
  publicUrl: string;
  outgoing: { allowPrivate: boolean };
  /** Called with the queue's name for each failed attempt. */
  onJobFailure?: (queue: string) => void;
};

export type Webhooks = {
  /** Makes messages of new events and of replays, until the signal aborts. One process does it at a time. */
  lead(signal: AbortSignal): Promise<void>;
  /** Like a queue, for the operators' metrics. */
  findBacklogs(): Promise<QueueBacklog[]>;
  stop(): Promise<void>;
};

/** The name of the messages among the queues. */
const name = 'webhooks';

const createEndpoints = (db: ReadDb): Endpoints => ({
  projects: () => listProjectsWithWebhooks(db),
  list: (projectId) => listWebhookEndpoints(db, { projectId }),
  find: (projectId, id) => findWebhookEndpoint(db, projectId, id),
});

/** Sends webhooks in this process. */
export async function startWebhooks(deps: WebhookDeps): Promise<Webhooks> {
  const { write, pool, db, readModels, responseCipher, listener, logger, onJobFailure } = deps;
  const sender = createWebhookSender(deps.outgoing);
  const parts: WebhookParts = {
    ...{ pool, db, readModels, responseCipher, logger, sender },
    store: write.store,
    newId: write.newId,
    endpoints: createEndpoints(db),
    recent: createRecentEvents(),
    ...(listener && { listener }),
    onFailure: () => onJobFailure?.(name),
    onTrouble: (trouble) => handleTrouble(deps, trouble),
  };
  const sending = await startSending(parts);
  return {
    lead: async (signal) => void (await Promise.all([followFeed(parts, signal), runReplays(parts, signal)])),
    findBacklogs: async () => {
      const { oldestMs, ...counts } = await countPending(pool, await listEnabled(parts));
      return [{ queue: name, counts, oldestWaitingMs: oldestMs }];
    },
    stop: async () => {
      await sending.stop();
      sender.close();
    },
  };
}

/** Messages of disabled endpoints wait for their owners, not for a worker. */
async function listEnabled({ pool, endpoints }: Pick<WebhookParts, 'pool' | 'endpoints'>): Promise<string[]> {
  const pending = await listPendingEndpoints(pool, null);
  const found = await Promise.all(pending.map(({ projectId, endpointId }) => endpoints.find(projectId, endpointId)));
  return found.flatMap((endpoint) => (endpoint?.isEnabled ? [endpoint.id] : []));
}

/** Disables an endpoint that is gone or has failed for days, and tells the owners of the project. */
export async function handleTrouble(
  { write, db, publicUrl }: Pick<WebhookDeps, 'write' | 'db' | 'publicUrl'>,
  { endpoint: { projectId, id: endpointId, url }, kind }: EndpointTrouble,
): Promise<void> {
  const ctx: Context = { projectId, actor: { kind: 'system', id: null }, requestId: `webhook ${endpointId}` };
  try {
    if (kind !== 'warning') await disableWebhookEndpoint(write, ctx, { endpointId, reason: kind });
  } catch (error) {
    // The endpoint or its project was deleted meanwhile.
    if (error instanceof DomainError) return;
    throw error;
  }
  const ownerIds = await listOwners(write, db, projectId);
  const notice = { projectId, endpointId, url, kind, ownerIds };
  // Attempts that ran at once tell the same.
  await sendWebhookNotice({ ...write, publicUrl }, notice, write.now().slice(0, 10));
}

/** Users of `internal`. */
async function listOwners(write: WriteDeps, db: ReadDb, projectId: string): Promise<string[]> {
  const project = await findActiveProject(write, projectId);
  if (!project) return [];
  const { owners, ownerTeamId: teamId } = project;
  const members = teamId === null ? [] : (await listProfiles(db, internalProjectId, { teamId, userId: null })).rows;
  return [...new Set([...owners.keys(), ...members.map(({ user }) => user.id)])];
}
