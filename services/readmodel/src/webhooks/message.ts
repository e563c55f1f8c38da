import { type CursorDeps, toCursor } from '../events/cursor.ts';
import { fromPublicId } from '../events/event-id.ts';
import type { FeedPage, PublicEvent } from '../events/feed.ts';

/** What a receiver gets. The order of the keys is part of it: retries send the same bytes. */
export const messageBody = (
  { id, type, at, data }: Pick<PublicEvent, 'id' | 'at' | 'data'> & { type: string },
  cursor: string,
): string => JSON.stringify({ type, timestamp: new Date(at).toISOString(), data, id, cursor });

/** The cursor after an event of the feed. */
export const cursorAfter = (deps: CursorDeps, projectId: string, { event, after }: FeedPage['items'][number]) =>
  toCursor(deps, projectId, after, fromPublicId(event.id)?.eventId);

const idFields = ['user_id', 'team_id', 'id'] as const;

/** Whose events are sent in order: those of a user, then those of a team, and otherwise of the object itself. */
export function subjectOf({ type, data }: Pick<PublicEvent, 'type' | 'data'>): string {
  const fields = /^(user|team)\./.test(type) ? ['id', ...idFields] : idFields;
  const id = fields.map((field) => data[field]).find((value) => typeof value === 'string');
  return typeof id === 'string' ? id : type;
}

/** IDs of those whom a response to the event may be about. */
export const peopleOf = ({ data, subjects }: Pick<PublicEvent, 'data' | 'subjects'>): string[] => [
  ...new Set([...idFields.flatMap((field) => (typeof data[field] === 'string' ? [data[field]] : [])), ...subjects]),
];

/** What the encrypted response to an attempt is bound to. */
export const responseName = (deliveryId: string) => `response to webhook ${deliveryId}`;
