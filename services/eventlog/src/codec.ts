import type { DomainEvent, EventDefinition, EventDefinitions, NewMetadata, Recorded } from '@gatebook/domain/event';
import { createDecoder, type Fold, type FoldContext } from './decoder.ts';
import { encrypt } from './encryption/cipher.ts';
import type { Keyring, SubjectKeys } from './encryption/keyring.ts';
import type { BlobStore, StoredBlob } from './large-values/blob-store.ts';
import { projectOwner, referencesOf, splitLarge, withReferences } from './large-values/large-values.ts';
import { addOrigin, originSubject, withoutOrigin } from './metadata.ts';
import type { Unneeded, Write } from './port.ts';
import {
  associatedWith,
  type EncodedWrite,
  jsonOf,
  type StoredEvent,
  type StoredRecord,
  type StoredWrite,
} from './stored-event.ts';

export { LostKeyError, UnknownEventVersionError } from './stored-event.ts';
export type { EncodedWrite, StoredEvent, StoredRecord, StoredWrite };

export type Codec = {
  /**
   * Stores large values first, so that no event refers to a missing one.
   * @throws EventTooLargeError; Error if an event breaks its schema or has an unknown type, or if a stream occurs twice
   */
  encode(writes: readonly Write[], metadata: NewMetadata): Promise<readonly EncodedWrite[]>;
  /** Events that cannot be read are in the result, with the reason. @throws Error of the key or blob store */
  decode(records: readonly StoredRecord[], unneeded?: Unneeded): Promise<readonly Recorded[]>;
  /** Splits records into pages that fit into memory together with their large values. */
  pages(records: readonly StoredRecord[], unneeded?: Unneeded): readonly (readonly StoredRecord[])[];
  startFold(known?: FoldContext): Fold;
  /** The subject of the event's personal data, if it has any. */
  subjectOf(event: StoredEvent): readonly string[];
  hasLarge(event: StoredEvent): boolean;
  keyring: Keyring;
};

/** Far below the 1 MiB that EventStoreDB accepts in one append. Large values do not count: they are blobs. */
const maxEventBytes = 262_144;

/** An event is too large for the log, although its large values are stored elsewhere. */
class EventTooLargeError extends Error {
  constructor(type: string, bytes: number) {
    super(`event ${type} has ${bytes} bytes; at most ${maxEventBytes} are allowed`);
    this.name = 'EventTooLargeError';
  }
}

type CodecParts = { catalog: EventDefinitions; keyring: Keyring; blobs: BlobStore; newEventId: () => string };

/** Checks, encrypts and upcasts: domain events on one side, stored events on the other. */
export function createCodec({ catalog, keyring, blobs, newEventId }: CodecParts): Codec {
  const definitions = new Map(Object.entries(catalog));

  /** Keeps only the fields of the schema, so that nothing reaches the log unencrypted by mistake. */
  function checked(event: DomainEvent): Record<string, unknown> {
    const parsed = findDefinition(event.type).data.safeParse(event.data);
    if (!parsed.success) throw new Error(`event ${event.type} breaks its schema`, { cause: parsed.error });
    return parsed.data;
  }

  function findDefinition(type: string): EventDefinition {
    const definition = definitions.get(type);
    if (!definition) throw new Error(`event ${type} is not in the catalog`);
    return definition;
  }

  return {
    ...createDecoder({ definitions, keyring, blobs }),
    hasLarge: ({ data }) => Object.keys(referencesOf(data)).length > 0,
    keyring,
    encode: async (writes, metadata) => {
      if (new Set(writes.map(({ stream }) => stream)).size < writes.length)
        throw new Error('an append can write to each stream only once');
      const { actor, origin = null } = metadata;
      const sender = origin && originSubject(actor);
      const subjects: string[] = sender === null ? [] : [sender];
      const shared = withoutOrigin(metadata);
      const addressRefs = new Map<string, string>();
      const checkedWrites = writes.map(({ stream, expected, events }) => {
        const stored = events.map((event): StoredEvent => {
          const data = checked(event);
          const { version, personal } = findDefinition(event.type);
          if (personal) {
            const subject = String(data[personal.subject]);
            subjects.push(subject);
            const ref = personal.addressRef === undefined ? undefined : data[personal.addressRef];
            if (typeof ref === 'string') addressRefs.set(subject, ref);
          }
          return { id: newEventId(), stream, type: event.type, version, data, encrypted: null, metadata: shared };
        });
        return { stream, expected, events: stored };
      });
      const keys =
        subjects.length > 0 ? await keyring.keysFor(subjects, { projectId: metadata.projectId, addressRefs }) : noKeys;
      const large: StoredBlob[] = [];
      const encoded = checkedWrites.map(({ events, ...write }) => ({
        ...write,
        decoded: events.map((event) => withoutErased(event, findDefinition(event.type).personal, keys)),
        events: events.map((event) => {
          const parts = separate(event, findDefinition(event.type).personal, keys);
          large.push(...parts.blobs);
          return origin ? addOrigin(parts.event, origin, keys) : parts.event;
        }),
      }));
      if (large.length > 0) await blobs.put(large);
      return encoded;
    },
  };
}

const noKeys: SubjectKeys = new Map();

/** The event as it will be read: personal fields of an erased subject are null. */
function withoutErased(
  { type, data }: StoredEvent,
  personal: EventDefinition['personal'],
  keys: SubjectKeys,
): DomainEvent {
  if (!personal) return { type, data };
  const isErased = !keys.get(String(data[personal.subject]));
  const read = { ...data };
  for (const field of personal.fields) read[field] = isErased ? null : (data[field] ?? null);
  return { type, data: read };
}

/** Encrypts personal fields and takes large values out of the event. @throws EventTooLargeError */
function separate(
  event: StoredEvent,
  personal: EventDefinition['personal'],
  keys: SubjectKeys,
): { event: StoredEvent; blobs: readonly StoredBlob[] } {
  const plain: Record<string, unknown> = { ...event.data };
  const secret: Record<string, unknown> = {};
  for (const field of personal?.fields ?? []) {
    if (plain[field] !== null && plain[field] !== undefined) secret[field] = plain[field];
    delete plain[field];
  }
  const shared = splitLarge(plain, projectOwner(event.metadata.projectId), null);
  const subject = personal ? String(event.data[personal.subject]) : '';
  const key = keys.get(subject);
  const own = key ? splitLarge(secret, subject, key) : nothing;
  const text = JSON.stringify(own.inline);
  const encrypted = key && text !== '{}' ? encrypt(key, Buffer.from(text), associatedWith(event)) : null;
  const data = withReferences(shared.inline, { ...shared.references, ...own.references });
  const bytes = jsonOf(data).length + jsonOf(event.metadata).length + (encrypted?.length ?? 0);
  if (bytes > maxEventBytes) throw new EventTooLargeError(event.type, bytes);
  return { event: { ...event, data, encrypted }, blobs: [...shared.blobs, ...own.blobs] };
}

const nothing = { inline: {}, references: {}, blobs: [] };
