import type { RejectionPlace } from '@gatebook/readmodel/activity/rejection-list';
import type { AuditPlace } from '@gatebook/readmodel/audit/queries';
import type { Deps } from '../../deps.ts';

/** Where a page of events and rejections begins; null: at the beginning of the order. */
export type AuditPlaces = { events: AuditPlace | null; rejections: RejectionPlace | null };

type Cipher = Pick<Deps, 'responseCipher'>;
const associated = (binding: unknown) => `audit cursor ${JSON.stringify(binding)}`;
const noId = '00000000-0000-0000-0000-000000000000';

/** All have one length. */
export const placesText = ({ events, rejections }: AuditPlaces): string =>
  [
    (events?.at ?? -1).toString().padStart(16),
    (events?.position ?? -1n).toString().padStart(20),
    (rejections?.at ?? -1).toString().padStart(16),
    rejections?.id ?? noId,
  ].join(',');

export function parsePlaces(text: string): AuditPlaces {
  const [at = '', position = '', rejectedAt = '', id = ''] = text.split(',').map((part) => part.trim());
  return {
    events: at === '-1' ? null : { at: Number(at), position: BigInt(position) },
    rejections: rejectedAt === '-1' ? null : { at: Number(rejectedAt), id },
  };
}

/**
 * An encrypted cursor, which fits only the request described by `binding`. All have one length, so that nothing shows
 * how large positions are: these count the events of all projects.
 */
export async function toCursor({ responseCipher }: Cipher, binding: unknown, places: AuditPlaces): Promise<string> {
  const encrypted = await responseCipher.encrypt(associated(binding), [], placesText(places));
  if (!encrypted) throw new Error('a cursor has no subjects');
  return encrypted.answer;
}

/** @returns null for a text that is not a cursor of this request */
export async function openCursor(
  { responseCipher }: Cipher,
  binding: unknown,
  cursor: string,
): Promise<AuditPlaces | null> {
  const text = await responseCipher.open(associated(binding), { answer: cursor, subjects: [] }).catch(() => null);
  return text === null ? null : parsePlaces(text);
}
