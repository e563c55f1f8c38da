import type { DomainEvent, EventDefinition, EventDefinitions, Metadata, Recorded } from '@gatebook/domain/event';
import type { Write } from './port.ts';
import type { Keyring } from './sealing/keyring.ts';
import { open, seal } from './sealing/seal.ts';

/** An event as adapters keep it: `data` without its personal fields, which are in `sealed` (null: there are none). */
export type StoredEvent = {
  id: string;
  stream: string;
  type: string;
  version: number;
  data: Readonly<Record<string, unknown>>;
  sealed: string | null;
  metadata: Metadata;
};
export type StoredWrite = { stream: string; expected: bigint; events: readonly StoredEvent[] };
export type StoredRecord = StoredEvent & { revision: bigint; position: bigint };

export type Codec = {
  /** @throws ZodError for an event that breaks its schema, Error for an unknown type */
  encode(writes: readonly Write[], metadata: Metadata): Promise<readonly StoredWrite[]>;
  /** @throws UnknownEventVersionError, or Error when an event does not open or breaks its schema */
  decode(records: readonly StoredRecord[]): Promise<readonly Recorded[]>;
};

/** The log holds an event that this code is too old for. Reading stops here instead of guessing. */
export class UnknownEventVersionError extends Error {
  constructor({ type, version, position }: StoredRecord) {
    super(`event ${type} version ${version} at position ${position} is newer than this code: update Gatebook`);
    this.name = 'UnknownEventVersionError';
  }
}

type CodecParts = { catalogue: EventDefinitions; keyring: Keyring; newEventId: () => string };

/** Checks, seals and upcasts: domain events on one side, stored events on the other. */
export function createCodec({ catalogue, keyring, newEventId }: CodecParts): Codec {
  function definitionOf(type: string): EventDefinition {
    const definition = Object.hasOwn(catalogue, type) ? catalogue[type] : undefined;
    if (!definition) throw new Error(`event ${type} is not in the catalogue`);
    return definition;
  }

  function encodeEvent(stream: string, event: DomainEvent, metadata: Metadata, keys: KeyMap): StoredEvent {
    const { version, personal } = definitionOf(event.type);
    const id = newEventId();
    const stored = { id, stream, type: event.type, version, data: event.data, sealed: null, metadata };
    if (!personal) return stored;
    const data: Record<string, unknown> = { ...event.data };
    const secret: Record<string, unknown> = {};
    for (const field of personal.fields) {
      if (data[field] !== null && data[field] !== undefined) secret[field] = data[field];
      delete data[field];
    }
    const key = keys.get(String(data[personal.subject]));
    if (!key || Object.keys(secret).length === 0) return { ...stored, data };
    const sealed = seal(key, Buffer.from(JSON.stringify(secret)), associatedWith(stored));
    return { ...stored, data, sealed };
  }

  function decodeEvent(record: StoredRecord, keys: KeyMap): Recorded {
    const definition = Object.hasOwn(catalogue, record.type) ? catalogue[record.type] : undefined;
    if (!definition || record.version > definition.version) throw new UnknownEventVersionError(record);
    let data = definition.personal ? withPersonal(record, definition.personal, keys) : record.data;
    for (let version = record.version; version < definition.version; version += 1) {
      const upcast = definition.upcast?.[version];
      if (!upcast) throw new Error(`event ${record.type} has no upcast from version ${version}`);
      data = upcast(data);
    }
    const parsed = definition.data.safeParse(data);
    if (!parsed.success) {
      throw new Error(`event ${record.type} at position ${record.position} breaks its schema`, { cause: parsed.error });
    }
    const { id, stream, type, revision, position, metadata } = record;
    return { id, stream, type, data: parsed.data, revision, position, metadata };
  }

  return {
    encode: async (writes, metadata) => {
      const subjects: string[] = [];
      for (const { events } of writes) {
        for (const event of events) {
          const { data, personal } = definitionOf(event.type);
          data.parse(event.data);
          if (personal) subjects.push(String(event.data[personal.subject]));
        }
      }
      const keys = subjects.length > 0 ? await keyring.keysFor(subjects) : noKeys;
      return writes.map(({ stream, expected, events }) => ({
        stream,
        expected,
        events: events.map((event) => encodeEvent(stream, event, metadata, keys)),
      }));
    },
    decode: async (records) => {
      const subjects: string[] = [];
      for (const record of records) {
        const subject = catalogue[record.type]?.personal?.subject;
        if (subject && record.sealed !== null) subjects.push(String(record.data[subject]));
      }
      const keys = subjects.length > 0 ? await keyring.open(subjects) : noKeys;
      return records.map((record) => decodeEvent(record, keys));
    },
  };
}

type KeyMap = ReadonlyMap<string, Buffer | null>;
const noKeys: KeyMap = new Map();

const associatedWith = ({ stream, id, type }: StoredEvent) => JSON.stringify([stream, id, type]);

function withPersonal(
  record: StoredRecord,
  { subject, fields }: { subject: string; fields: readonly string[] },
  keys: KeyMap,
): Record<string, unknown> {
  const data: Record<string, unknown> = { ...record.data };
  for (const field of fields) data[field] = null;
  const key = keys.get(String(data[subject]));
  if (!key || record.sealed === null) return data;
  return Object.assign(data, JSON.parse(open(key, record.sealed, associatedWith(record)).toString()));
}
