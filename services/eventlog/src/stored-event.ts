import type { DomainEvent } from '@gatebook/domain/event';
import type { StoredMetadata } from './metadata.ts';
import { UnreadableEventError } from './port.ts';

/**
 * An event as adapters store it: `data` without its personal fields, which are in `encrypted` (null if there are none),
 * and with references instead of large values.
 */
export type StoredEvent = {
  id: string;
  stream: string;
  type: string;
  version: number;
  data: Readonly<Record<string, unknown>>;
  encrypted: string | null;
  metadata: StoredMetadata;
};
export type StoredWrite = { stream: string; expected: bigint; events: readonly StoredEvent[] };
/** `decoded`: the events as they will be read. */
export type EncodedWrite = StoredWrite & { decoded: readonly DomainEvent[] };
export type StoredRecord = StoredEvent & { revision: bigint; position: bigint; committedAt: string };

/** The log contains an event that is newer than this code. */
export class UnknownEventVersionError extends UnreadableEventError {
  constructor(record: StoredRecord) {
    super(record, `has version ${record.version}, which is newer than this code: update Gatebook`);
    this.name = 'UnknownEventVersionError';
  }
}

/** The key of the event's subject does not exist, although the subject was not erased. */
export class LostKeyError extends UnreadableEventError {
  readonly subjectId: string;
  readonly projectId: string;

  constructor(record: StoredRecord, subjectId: string) {
    const { projectId } = record.metadata;
    super(record, `cannot be decrypted: the key of subject ${subjectId} of project ${projectId} is lost`);
    this.name = 'LostKeyError';
    this.subjectId = subjectId;
    this.projectId = projectId;
  }
}

const texts = new WeakMap<object, string>();

/** The JSON of an event's data or metadata, built once: its size is checked before it is appended. */
export function jsonOf(part: object): string {
  const known = texts.get(part);
  if (known !== undefined) return known;
  const text = JSON.stringify(part);
  texts.set(part, text);
  return text;
}

/** Binds encrypted fields to their event. */
export const associatedWith = ({ stream, id, type }: StoredEvent) => JSON.stringify([stream, id, type]);

/** Approximate size of an event, without its large values: cheap enough for every event that is read. */
export function sizeOf({ data, encrypted }: Pick<StoredEvent, 'data' | 'encrypted'>): number {
  let bytes = envelopeBytes + (encrypted?.length ?? 0);
  for (const value of Object.values(data)) {
    if (typeof value === 'string') bytes += value.length;
    else if (typeof value === 'object' && value !== null) bytes += JSON.stringify(value).length;
  }
  return bytes;
}

/** Metadata, IDs and names of fields. */
const envelopeBytes = 500;
