import { reject } from '@gatebook/domain/errors';
import type { ResponseCipher } from '@gatebook/eventlog/encryption/response-cipher';
import type { EventStore } from '@gatebook/eventlog/port';
import { sha256 } from '@gatebook/runtime/hash';
import type { FeedPlace } from './feed.ts';

export type CursorDeps = { responseCipher: ResponseCipher; store: Pick<EventStore, 'identify' | 'head'> };

const associated = 'event feed cursor';
const noId = '00000000-0000-0000-0000-000000000000';
const hashOf = (projectId: string) => Buffer.from(sha256(projectId), 'base64url').toString('hex').slice(0, 32);

/**
 * An encrypted place of a project's feed. All cursors have one length, so that nothing shows how large positions are:
 * these count the events of all projects. `eventId`: of the log's event at the place, if it is known.
 */
export async function toCursor(
  { responseCipher, store }: CursorDeps,
  projectId: string,
  { position, index, nth }: FeedPlace,
  eventId?: string,
): Promise<string> {
  const id = eventId ?? (position > 0n ? await store.identify(position) : null) ?? noId;
  const place = [String(position).padStart(20), String(index).padStart(10), String(nth).padStart(7)];
  const encrypted = await responseCipher.encrypt(associated, [], [hashOf(projectId), ...place, id].join(','));
  if (!encrypted) throw new Error('a cursor has no subjects');
  return encrypted.answer;
}

const invalid = (reason: 'malformed' | 'other_project' | 'other_log' | 'ahead_of_log') =>
  reject('EVENT_CURSOR_INVALID', { reason });

/**
 * The place that a cursor stands for.
 * @throws DomainError EVENT_CURSOR_INVALID, also if the log has lost the events before it
 */
export async function openCursor(deps: CursorDeps, projectId: string, cursor: string): Promise<FeedPlace> {
  const { responseCipher, store } = deps;
  const text = await responseCipher.open(associated, { answer: cursor, subjects: [] }).catch(() => null);
  if (text === null) return invalid('malformed');
  const [project, position = '', index, nth, eventId = noId] = text.split(',').map((part) => part.trim());
  if (project !== hashOf(projectId)) return invalid('other_project');
  const place = { position: BigInt(position), index: Number(index), nth: Number(nth) };
  const found = await store.identify(place.position);
  // Positions can have gaps, and the first one has no event.
  if (eventId !== noId && found === eventId) return place;
  if (found === null && place.position > (await store.head())) return invalid('ahead_of_log');
  return eventId === noId ? place : invalid('other_log');
}
