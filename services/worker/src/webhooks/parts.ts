import type { WriteDeps } from '@gatebook/commands/deps';
import type { WebhookSender } from '@gatebook/commands/webhook/sender';
import type { ResponseCipher } from '@gatebook/eventlog/encryption/response-cipher';
import type { EventStore } from '@gatebook/eventlog/port';
import type { ReadModels } from '@gatebook/projections/wait';
import type { FeedParts } from '@gatebook/readmodel/events/feed';
import type { At } from '@gatebook/readmodel/webhooks/deliveries';
import type { WebhookEndpoint } from '@gatebook/readmodel/webhooks/endpoints';
import type { Listener } from '@gatebook/runtime/listener';
import type { Logger } from '@gatebook/runtime/logger';
import type { Pool } from '@gatebook/runtime/postgres';
import type { RecentEvents } from './recent-events.ts';

/** Where endpoints are read. */
export type Endpoints = {
  projects(): Promise<readonly string[]>;
  list(projectId: string): Promise<readonly WebhookEndpoint[]>;
  find(projectId: string, id: string): Promise<WebhookEndpoint | null>;
};

export type WebhookParts = Omit<FeedParts, 'store' | 'readModels'> & {
  pool: Pool;
  store: FeedParts['store'] & Pick<EventStore, 'head' | 'identify' | 'subscribe'>;
  readModels: Pick<ReadModels, 'position' | 'isQuarantined' | 'reached' | 'continuity'>;
  responseCipher: ResponseCipher;
  endpoints: Endpoints;
  sender: WebhookSender;
  recent: RecentEvents;
  newId: WriteDeps['newId'];
  logger: Logger;
  listener?: Listener;
  /** Time of the database unless given, so that processes with wrong clocks agree. */
  clock?: () => string;
  random?: () => number;
  /** Called for each failed attempt. */
  onFailure?: () => void;
  /** Called when an endpoint has failed for long, or is gone. */
  onTrouble(trouble: EndpointTrouble): Promise<void>;
};

/** `warning`: it fails, and will be disabled if it goes on. */
export type EndpointTrouble = { endpoint: WebhookEndpoint; kind: 'warning' | 'failing' | 'gone' };

export const atOf = ({ clock }: Pick<WebhookParts, 'clock'>): At => clock?.() ?? null;
