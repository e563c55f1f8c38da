import { forgetFailures } from '@gatebook/readmodel/webhooks/attempts';
import { webhooksChannel } from '@gatebook/readmodel/webhooks/delivery-tables';
import type { FeedSubscriber } from '../feed/feed-subscriber.ts';
import { followProjects } from '../feed/follow-projects.ts';
import type { WebhookParts } from './parts.ts';
import { createShared, takeEvents } from './take-events.ts';

/** Makes messages of new events for all endpoints, until `signal` aborts. */
export const followFeed = (parts: WebhookParts, signal: AbortSignal): Promise<void> =>
  followProjects(parts, (ended) => createSubscriber(parts, ended), signal);

function createSubscriber(parts: WebhookParts, signal: AbortSignal): FeedSubscriber {
  const { endpoints, pool } = parts;
  /** An endpoint may have been enabled, with messages that wait. They are looked for once this is known. */
  const wakes = new Set<string>();
  return {
    name: 'webhooks',
    projects: () => endpoints.projects(),
    // Endpoints of a project that awaits its deletion are not listed until it is restored.
    showsProject: ({ type }) => type.startsWith('Webhook') || type === 'ProjectDeletionCanceled',
    onShown: (projectId) => void wakes.add(projectId),
    take: async (projectId, isBehind) => {
      const ofProject = await endpoints.list(projectId);
      const shared = createShared();
      let hasMore = false;
      for (const endpoint of ofProject) {
        if (signal.aborted) return false;
        if (!endpoint.isEnabled) await forgetFailures(pool, endpoint.id);
        else hasMore = (await takeEvents(parts, endpoint, signal, shared)) || hasMore;
      }
      if (!isBehind && wakes.delete(projectId)) await pool.query(`select pg_notify('${webhooksChannel}', '')`);
      return hasMore;
    },
  };
}
