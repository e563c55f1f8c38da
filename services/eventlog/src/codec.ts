import type { DomainEvent, EventDefinition, EventDefinitions, Metadata, Recorded } from '@gatebook/domain/event';
import { encrypt, open } from './encryption/cipher.ts';
import type { Keyring, SubjectKeys } from './encryption/keyring.ts';
import type { Unneeded, Write } from './port.ts';

/**
 * An event as adapters store it: `data` without its personal fields, which are in `encrypted` (null if there are none).
 */
export type StoredEvent = {
  id: string;
  stream: string;
  type: string;
  version: number;
  data: Readonly<Record<string, unknown>>;
  encrypted: string | null;
  metadata: Metadata;
};
export type StoredWrite = { stream: string; expected: bigint; events: readonly StoredEvent[] };
export type StoredRecord = StoredEvent & { revision: bigint; position: bigint };

export type Codec = {
  /** @throws Error if an event breaks its schema or has an unknown type, or if a stream occurs twice */
  encode(writes: readonly Write[], metadata: Metadata): Promise<readonly StoredWrite[]>;
  /** @throws UnknownEventVersionError, UnreadableEventError; any other error comes from the key store */
  decode(records: readonly StoredRecord[], unneeded?: Unneeded): Promise<readonly Recorded[]>;
};

/** The log contains an event that is newer than this code. Stop reading instead of guessing. */
export class UnknownEventVersionError extends Error {
  constructor({ type, version, position }: StoredRecord) {
    super(`event ${type} version ${version} at position ${position} is newer than this code: update Gatebook`);
    this.name = 'UnknownEventVersionError';
  }
}

/** An event cannot be decrypted or breaks its schema. Reading it again would not help. */
export class UnreadableEventError extends Error {
  constructor({ type, position }: StoredRecord, what: string, options?: { cause: unknown }) {
    super(`event ${type} at position ${position} ${what}`, options);
    this.name = 'UnreadableEventError';
  }
}

type CodecParts = { catalog: EventDefinitions; keyring: Keyring; newEventId: () => string };

/** Checks, encrypts and upcasts: domain events on one side, stored events on the other. */
export function createCodec({ catalog, keyring, newEventId }: CodecParts): Codec {
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
    encode: async (writes, metadata) => {
      if (new Set(writes.map(({ stream }) => stream)).size < writes.length)
        throw new Error('an append can write to each stream only once');
      const subjects: string[] = [];
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
          return { id: newEventId(), stream, type: event.type, version, data, encrypted: null, metadata };
        });
        return { stream, expected, events: stored };
      });
      if (subjects.length === 0) return checkedWrites;
      const keys = await keyring.keysFor(subjects, addressRefs);
      return checkedWrites.map(({ events, ...write }) => ({
        ...write,
        events: events.map((event) => encryptPersonal(event, findDefinition(event.type).personal, keys)),
      }));
    },
    decode: async (records, { types = noTypes, personal: staysEncrypted = false } = {}) => {
      const last = records.at(-1);
      const subjects: string[] = [];
      for (const { type, data, encrypted } of staysEncrypted ? [] : records) {
        const subject = encrypted === null || types.has(type) ? undefined : definitions.get(type)?.personal?.subject;
        if (subject) subjects.push(String(data[subject]));
      }
      const keys = subjects.length > 0 ? await keyring.open(subjects) : noKeys;
      return records.flatMap((record) => {
        if (!types.has(record.type)) return decodeRecord(record, definitions.get(record.type), keys);
        return record === last ? { ...envelopeOf(record), data: {} } : [];
      });
    },
  };
}

const noKeys: SubjectKeys = new Map();
const noTypes: ReadonlySet<string> = new Set();
const associatedWith = ({ stream, id, type }: StoredEvent) => JSON.stringify([stream, id, type]);

function encryptPersonal(event: StoredEvent, personal: EventDefinition['personal'], keys: SubjectKeys): StoredEvent {
  if (!personal) return event;
  const data: Record<string, unknown> = { ...event.data };
  const secret: Record<string, unknown> = {};
  for (const field of personal.fields) {
    if (data[field] !== null && data[field] !== undefined) secret[field] = data[field];
    delete data[field];
  }
  const key = keys.get(String(data[personal.subject]));
  if (!key || Object.keys(secret).length === 0) return { ...event, data };
  return { ...event, data, encrypted: encrypt(key, Buffer.from(JSON.stringify(secret)), associatedWith(event)) };
}

function decodeRecord(record: StoredRecord, definition: EventDefinition | undefined, keys: SubjectKeys): Recorded {
  if (!definition || record.version > definition.version) throw new UnknownEventVersionError(record);
  const { version, personal } = definition;
  let data: Record<string, unknown> = personal ? withPersonal(record, personal, keys) : record.data;
  for (let from = record.version; from < version; from += 1) {
    const upcast = definition.upcast?.[from];
    if (!upcast) throw new UnreadableEventError(record, `has no upcast from version ${from}`);
    data = upcast(data);
    for (const field of personal?.fields ?? []) data[field] ??= null;
  }
  const parsed = definition.data.safeParse(data);
  if (!parsed.success) throw new UnreadableEventError(record, 'breaks its schema', { cause: parsed.error });
  return { ...envelopeOf(record), data: parsed.data };
}

const envelopeOf = ({ id, stream, type, revision, position, metadata }: StoredRecord) => ({
  id,
  stream,
  type,
  revision,
  position,
  metadata,
});

function withPersonal(
  record: StoredRecord,
  { subject, fields }: NonNullable<EventDefinition['personal']>,
  keys: SubjectKeys,
): Record<string, unknown> {
  const data: Record<string, unknown> = { ...record.data };
  // A field that was null when appended is in neither place. A field that became personal in a later version is in
  // `data`.
  for (const field of fields) data[field] ??= null;
  const key = record.encrypted === null ? undefined : keys.get(String(data[subject]));
  if (!key || record.encrypted === null) return data;
  try {
    return Object.assign(data, JSON.parse(open(key, record.encrypted, associatedWith(record)).toString()));
  } catch (cause) {
    throw new UnreadableEventError(record, 'cannot be decrypted', { cause });
  }
}
