import type { EventMethods, EventsMatching } from '@gatebook/js/events';
import { t } from '@lingui/core/macro';

export type FirstUser = { id: string; name: string };
type Events = Pick<EventMethods, 'listEvents' | 'followEvents'>;
const types = ['user.created'] as const;

/** The first user that was created in the project, now or in the future; null if the signal ends the wait. */
export async function findFirstUser(events: Events, signal: AbortSignal): Promise<FirstUser | null> {
  let after: string | undefined;
  for (let hasMore = true; hasMore; ) {
    const page = await events.listEvents({ types, after, limit: 1, signal });
    const [first] = page.items;
    if (first) return userOf(first);
    ({ nextAfter: after, hasMore } = page);
  }
  for await (const event of events.followEvents({ types, after, signal })) return userOf(event);
  return null;
}

function userOf({ data }: EventsMatching<'user.created'>): FirstUser {
  return { id: data.id, name: data.display_name ?? data.primary_email ?? t`A user` };
}
