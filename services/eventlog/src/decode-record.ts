import type { KeyObject } from 'node:crypto';
import type { EventDefinition, Recorded } from '@gatebook/domain/event';
import { open } from './encryption/cipher.ts';
import type { SubjectKeys } from './encryption/keyring.ts';
import type { BlobId } from './large-values/blob-store.ts';
import {
  openBlob,
  projectOwner,
  type Reference,
  referencesOf,
  withoutReferences,
} from './large-values/large-values.ts';
import { decodeMetadata } from './metadata.ts';
import { UnreadableEventError } from './port.ts';
import { associatedWith, LostKeyError, type StoredRecord, UnknownEventVersionError } from './stored-event.ts';

export type LargeValue = {
  record: Pick<StoredRecord, 'type' | 'version' | 'position'>;
  field: string;
  reference: Reference;
  id: BlobId;
  key: KeyObject | null;
};
type LargeValues = ReadonlyMap<LargeValue, unknown>;

export const noKeys: SubjectKeys = new Map();

export function largeValuesOf(
  record: StoredRecord,
  definition: EventDefinition | undefined,
  keys: SubjectKeys,
): readonly LargeValue[] {
  return Object.entries(referencesOf(record.data)).map(([field, reference]) => {
    const subject = String(record.data[definition?.personal?.subject ?? '']);
    const owner = reference.isPersonal ? subject : projectOwner(record.metadata.projectId);
    const key = reference.isPersonal ? (keys.get(subject) ?? null) : null;
    return { record, field, reference, id: { owner, hash: reference.hash }, key };
  });
}

export function openLarge(
  { record, field, id, key }: LargeValue,
  definition: EventDefinition | undefined,
  content: Buffer,
): unknown {
  try {
    const value = openBlob(id, key, content);
    // The value of an older version is checked after its upcast.
    return definition?.version === record.version ? parseField(definition, field, value) : value;
  } catch (cause) {
    throw new UnreadableEventError(record, `has an unreadable large value in ${field}`, { cause });
  }
}

const parseField = ({ data }: EventDefinition, field: string, value: unknown): unknown =>
  (data.pick(maskOf([field])).parse({ [field]: value }) as Record<string, unknown>)[field];

type Resolved = { large: readonly LargeValue[]; values: LargeValues };

/** An event that cannot be read has the reason instead of data. */
export function readable(record: StoredRecord, large: readonly LargeValue[], decode: () => Recorded): Recorded {
  try {
    return decode();
  } catch (error) {
    const isKnown = error instanceof UnreadableEventError;
    return unreadableEvent(
      record,
      large,
      isKnown ? error : new UnreadableEventError(record, 'cannot be read', { cause: error }),
    );
  }
}

/** Its `data` throws, so that no reader takes it for an event that it can read. */
function unreadableEvent(record: StoredRecord, large: readonly LargeValue[], unreadable: Error): Recorded {
  return {
    ...envelopeOf(record, noKeys, large),
    unreadable,
    get data(): never {
      throw unreadable;
    },
  };
}

/** `keys` is null if personal fields stay encrypted. */
export function decodeRecord(
  record: StoredRecord,
  definition: EventDefinition | undefined,
  keys: SubjectKeys | null,
  { large, values }: Resolved,
): Recorded {
  if (!definition || record.version > definition.version) throw new UnknownEventVersionError(record);
  const { version, personal } = definition;
  if (personal && keys) requireKey(record, personal.subject, keys, large);
  let data = withoutReferences(record.data);
  if (personal) addPersonal(record, data, personal, keys ?? noKeys);
  for (const value of large) data[value.field] = values.get(value);
  for (let from = record.version; from < version; from += 1) {
    const upcast = definition.upcast?.[from];
    if (!upcast) throw new UnreadableEventError(record, `has no upcast from version ${from}`);
    data = upcast(data);
    for (const field of personal?.fields ?? []) data[field] ??= null;
  }
  return { ...envelopeOf(record, keys ?? noKeys, large), data: parse(record, definition, data, large) };
}

/** @throws LostKeyError if the event has personal data, and its subject neither has a key nor was erased */
function requireKey(record: StoredRecord, subjectField: string, keys: SubjectKeys, large: readonly LargeValue[]): void {
  const subjectId = record.data[subjectField];
  // An event without its subject breaks its schema.
  if (typeof subjectId !== 'string' || keys.has(subjectId)) return;
  const hasPersonal = record.encrypted !== null || large.some(({ reference }) => reference.isPersonal);
  if (hasPersonal) throw new LostKeyError(record, subjectId);
}

/** Large values were checked when they were loaded; a field may have a placeholder instead. */
function parse(
  record: StoredRecord,
  definition: EventDefinition,
  data: Record<string, unknown>,
  large: readonly LargeValue[],
): Record<string, unknown> {
  const fields = record.version === definition.version ? large.map(({ field }) => field) : [];
  const schema = fields.length === 0 ? definition.data : definition.data.omit(maskOf(fields));
  const parsed = schema.safeParse(data);
  if (!parsed.success) throw new UnreadableEventError(record, 'breaks its schema', { cause: parsed.error });
  return Object.assign(parsed.data, Object.fromEntries(fields.map((field) => [field, data[field]])));
}

type Mask = Parameters<EventDefinition['data']['omit']>[0];
const maskOf = (fields: readonly string[]) => Object.fromEntries(fields.map((field) => [field, true])) as Mask;

export function envelopeOf(
  record: StoredRecord,
  keys: SubjectKeys,
  large: readonly LargeValue[] = [],
): Omit<Recorded, 'data'> {
  const { id, stream, type, revision, position, committedAt } = record;
  const blobs = large.map((value) => value.id);
  const metadata = decodeMetadata(record, keys);
  return { id, stream, type, revision, position, committedAt, metadata, ...(blobs.length > 0 ? { blobs } : {}) };
}

function addPersonal(
  record: StoredRecord,
  data: Record<string, unknown>,
  { subject, fields }: NonNullable<EventDefinition['personal']>,
  keys: SubjectKeys,
): void {
  // A field that was null when appended is in neither place. A field that became personal in a later version is in
  // `data`.
  for (const field of fields) data[field] ??= null;
  const key = record.encrypted === null ? undefined : keys.get(String(data[subject]));
  if (!key || record.encrypted === null) return;
  try {
    Object.assign(data, JSON.parse(open(key, record.encrypted, associatedWith(record)).toString()));
  } catch (cause) {
    throw new UnreadableEventError(record, 'cannot be decrypted', { cause });
  }
}
