import type { Actor, Metadata, NewMetadata, Origin } from '@gatebook/domain/event';
import { encrypt, open } from './encryption/cipher.ts';
import type { SubjectKeys } from './encryption/keyring.ts';

/** Metadata as adapters store it: the origin is encrypted, and what is empty is missing. */
export type StoredMetadata = Omit<NewMetadata, 'origin'> & { origin?: string };
type EventWithMetadata = { stream: string; id: string; type: string; metadata: StoredMetadata };

/** Who sent the request: with an impersonation, not the user. Their key encrypts the origin. */
export const originSubject = ({ id, impersonator }: Actor): string | null => (impersonator ? impersonator.id : id);

export function withoutOrigin({ origin: _, sessionId, basis = {}, ...metadata }: NewMetadata): StoredMetadata {
  return { ...metadata, ...(sessionId && { sessionId }), ...(Object.keys(basis).length > 0 && { basis }) };
}

/** The event with its origin; unchanged if the subject has no key because it was erased. */
export function addOrigin<E extends EventWithMetadata>(event: E, { ip, userAgent }: Origin, keys: SubjectKeys): E {
  const key = keys.get(originSubject(event.metadata.actor) ?? '');
  if (!key) return event;
  const origin = encrypt(key, Buffer.from(JSON.stringify([ip, userAgent])), associatedWith(event));
  return { ...event, metadata: { ...event.metadata, origin } };
}

/** Events of older releases have null or nothing where a part was not recorded. */
export function decodeMetadata(event: EventWithMetadata, keys: SubjectKeys): Metadata {
  const { origin, sessionId = null, basis = {}, ...metadata } = event.metadata;
  const subject = originSubject(metadata.actor);
  const key = origin === undefined || subject === null ? null : keys.get(subject);
  if (!key || origin === undefined) return { ...metadata, sessionId, basis, origin: null };
  return {
    ...metadata,
    sessionId,
    basis,
    // Few readers need it, so it is only decrypted for them.
    get origin() {
      const [ip, userAgent] = JSON.parse(open(key, origin, associatedWith(event)).toString());
      return { ip, userAgent };
    },
  };
}

const associatedWith = ({ stream, id, type }: EventWithMetadata) => JSON.stringify([stream, id, type, 'origin']);
