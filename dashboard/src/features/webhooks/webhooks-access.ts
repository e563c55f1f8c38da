import type { AuditClient, WebhooksClient } from '@gatebook/js/admin';
import type { EventMethods } from '@gatebook/js/events';

/** What the pages work with. The holder of a token has no `audit` and no `projectName`. */
export type WebhooksAccess = {
  webhooks: WebhooksClient;
  events: Pick<EventMethods, 'listEventTypes'>;
  projectId: string;
  projectName: string | undefined;
  audit: AuditClient | null;
  /** Leaves the token for a session; null for owners. */
  signIn: (() => void) | null;
};
