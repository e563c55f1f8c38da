import type { EventDefinition, Recorded } from '@gatebook/domain/event';
import { splitBySize } from '@gatebook/runtime/split-by-size';
import {
  decodeRecord,
  envelopeOf,
  type LargeValue,
  largeValuesOf,
  noKeys,
  openLarge,
  readable,
} from './decode-record.ts';
import type { Keyring, SubjectKeys } from './encryption/keyring.ts';
import { type BlobStore, blobKey } from './large-values/blob-store.ts';
import { referencesOf } from './large-values/large-values.ts';
import { createPlaceholders } from './large-values/placeholders.ts';
import { maxPageBytes } from './max-page-bytes.ts';
import { originSubject } from './metadata.ts';
import { type Unneeded, UnreadableEventError } from './port.ts';
import { type StoredEvent, type StoredRecord, sizeOf } from './stored-event.ts';

/** Decodes the events of one stream for a fold. Their large values are placeholders until `load`. */
export type Fold = {
  decode(records: readonly StoredRecord[]): Promise<readonly Recorded[]>;
  /** Replaces the placeholders in the final state with their values. */
  load<S>(state: S): Promise<S>;
  contextOf(state: unknown): FoldContext;
};

/** What a state refers to. */
export type FoldContext = {
  /** Subjects whose data was decrypted for it. */
  subjects: ReadonlySet<string>;
  /** By placeholder. */
  large: ReadonlyMap<string, LargeValue>;
};
export const emptyContext: FoldContext = { subjects: new Set(), large: new Map() };

type Parts = { definitions: ReadonlyMap<string, EventDefinition>; keyring: Keyring; blobs: BlobStore };
type Failures = ReadonlyMap<LargeValue['record'], Error>;
/** What a field reads as instead of its value, or undefined to load the value. */
type Instead = (large: LargeValue) => unknown;

export function createDecoder({ definitions, keyring, blobs }: Parts) {
  async function openKeys(records: readonly StoredRecord[]): Promise<SubjectKeys> {
    const subjects = records.flatMap((record) => {
      const { metadata } = record;
      const sender = metadata.origin === undefined ? null : originSubject(metadata.actor);
      return [...subjectOf(record), ...(sender === null ? [] : [sender])];
    });
    return subjects.length > 0 ? keyring.open(subjects) : noKeys;
  }

  /** The subject of the event's personal data, if it has any. */
  function subjectOf({ type, data, encrypted }: StoredEvent): string[] {
    const subject = definitions.get(type)?.personal?.subject;
    const hasPersonal = encrypted !== null || Object.values(referencesOf(data)).some(({ isPersonal }) => isPersonal);
    return subject && hasPersonal ? [String(data[subject])] : [];
  }

  /** @returns the reason for each event that cannot be read */
  async function load(large: readonly LargeValue[], values: Map<LargeValue, unknown>): Promise<Failures> {
    const failures = new Map<LargeValue['record'], Error>();
    if (large.length === 0) return failures;
    const contents = await blobs.load(large.map(({ id }) => id));
    for (const value of large) {
      const content = contents.get(blobKey(value.id));
      try {
        if (content) values.set(value, openLarge(value, definitions.get(value.record.type), content));
        // An erasure deletes the blobs while other processes still have the key in their caches.
        else if (value.key && (await keyring.isErased(value.id.owner))) values.set(value, null);
        else failures.set(value.record, new UnreadableEventError(value.record, 'lacks a large value'));
      } catch (error) {
        if (!(error instanceof UnreadableEventError)) throw error;
        failures.set(value.record, error);
      }
    }
    return failures;
  }

  async function decode(
    records: readonly StoredRecord[],
    { types = noTypes, personal: staysEncrypted = false }: Unneeded,
    instead: Instead,
    opened?: SubjectKeys,
  ): Promise<readonly Recorded[]> {
    const last = records.at(-1);
    const needed = records.filter(({ type }) => !types.has(type));
    const keys = staysEncrypted ? null : (opened ?? (await openKeys(needed)));
    const values = new Map<LargeValue, unknown>();
    const missing: LargeValue[] = [];
    const largeOf = new Map(
      needed.map((record) => [record, largeValuesOf(record, definitions.get(record.type), keys ?? noKeys)]),
    );
    for (const large of [...largeOf.values()].flat()) {
      const isUnreadable = large.reference.isPersonal && large.key === null;
      const value = isUnreadable ? null : isOptional(large.record, large.field) ? instead(large) : undefined;
      if (value === undefined) missing.push(large);
      else values.set(large, value);
    }
    const failures = await load(missing, values);
    return records.flatMap((record) => {
      const large = largeOf.get(record);
      if (!large) return record === last ? { ...envelopeOf(record, noKeys), data: {} } : [];
      return readable(record, large, () => {
        const failure = failures.get(record);
        if (failure) throw failure;
        return decodeRecord(record, definitions.get(record.type), keys, { large, values });
      });
    });
  }

  /** An upcast may look into any field, so older events are read completely. */
  function isOptional({ type, version }: LargeValue['record'], field: string): boolean {
    const definition = definitions.get(type);
    return definition?.version === version && definition.large?.includes(field) === true;
  }

  /** Size of an event with the large values that will be loaded. */
  function bytesOf(record: StoredRecord, { types = noTypes, personal = false, large = false }: Unneeded): number {
    if (types.has(record.type)) return 0;
    const loaded = Object.entries(referencesOf(record.data)).filter(
      ([field, { isPersonal }]) => !(isPersonal && personal) && !(large && isOptional(record, field)),
    );
    return loaded.reduce((sum, [, { bytes }]) => sum + bytes, sizeOf(record));
  }

  return {
    subjectOf,
    decode: (records: readonly StoredRecord[], unneeded: Unneeded = {}) =>
      decode(records, unneeded, () => (unneeded.large ? null : undefined)),
    pages: (records: readonly StoredRecord[], unneeded: Unneeded = {}) =>
      splitBySize(records, (record) => bytesOf(record, unneeded), maxPageBytes),
    /** `known`: of the state that the fold begins with. */
    startFold: (known: FoldContext = emptyContext): Fold => {
      const placeholders = createPlaceholders(known.large);
      const subjects = new Set(known.subjects);
      return {
        decode: async (records) => {
          const keys = await openKeys(records);
          for (const subject of records.flatMap(subjectOf)) if (keys.get(subject)) subjects.add(subject);
          const instead = ({ record: { type, version, position }, ...large }: LargeValue) =>
            placeholders.add({ ...large, record: { type, version, position } });
          return decode(records, {}, instead, keys);
        },
        load: async (state) => {
          const large = placeholders.findIn(state);
          if (large.size === 0) return state;
          const values = new Map<LargeValue, unknown>();
          for (const failure of (await load([...large.values()], values)).values()) throw failure;
          return placeholders.replaceIn(state, (large) => values.get(large));
        },
        contextOf: (state) => ({ subjects, large: placeholders.findIn(state) }),
      };
    },
  };
}

const noTypes: ReadonlySet<string> = new Set();
