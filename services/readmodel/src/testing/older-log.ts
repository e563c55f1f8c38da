import { randomBytes } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { catalog, type GatebookEvent } from '@gatebook/domain/catalog';
import type { DomainEvent, EventDefinition, EventDefinitions, NewMetadata } from '@gatebook/domain/event';
import { unknownSignIn } from '@gatebook/domain/user/events';
import { createCodec } from '@gatebook/eventlog/codec';
import { createKeyring } from '@gatebook/eventlog/encryption/keyring';
import { createMemoryKeyStore } from '@gatebook/eventlog/encryption/memory-key-store';
import { createMemoryBlobStore } from '@gatebook/eventlog/large-values/blob-store';
import { createMemoryEventStore, createMemoryLog, type MemoryLog } from '@gatebook/eventlog/memory/store';
import type { StoredRecord } from '@gatebook/eventlog/stored-event';
import { createRecord, type TestLog } from '@gatebook/projections/testing/test-log';
import { newEventId } from '@gatebook/runtime/ids';
import { z } from 'zod';

const signIn = Object.keys(unknownSignIn);
/** What version 1 of these events lacked, in the data or in its settings. Upcasts add the values of histories. */
const added: Readonly<Record<string, readonly string[]>> = {
  UserCreated: signIn,
  SessionStarted: ['secondFactor', ...signIn.filter((field) => field !== 'ip' && field !== 'userAgent')],
  UserDeleted: ['wasScheduled'],
  TeamDeleted: ['wasScheduled'],
  ProjectCreated: [
    'rejectionRetentionDays',
    'userDeletionGraceDays',
    'teamDeletionGraceDays',
    'projectDeletionGraceDays',
    'sessionLifetimeHours',
    'accessTokenLifetimeSeconds',
    'minPasswordLength',
    'branding',
  ],
};

const olderCatalog: EventDefinitions = {
  ...catalog,
  ...Object.fromEntries(
    Object.entries(added).map(([type, fields]) => [type, olderOf((catalog as EventDefinitions)[type], fields)]),
  ),
};

function olderOf(definition: EventDefinition | undefined, fields: readonly string[]): EventDefinition {
  if (!definition) throw new Error('the catalog lacks the type');
  const { upcast: _, personal, ...others } = definition;
  const kept = personal && { ...personal, fields: personal.fields.filter((field) => !fields.includes(field)) };
  return { ...others, version: 1, data: z.looseObject({}), ...(kept && { personal: kept }) } as EventDefinition;
}

function toOlder({ type, data }: GatebookEvent): DomainEvent {
  const without = (values: object) =>
    Object.fromEntries(Object.entries(values).filter(([field]) => !added[type]?.includes(field)));
  const settings = 'settings' in data ? { settings: without(data.settings) } : {};
  return { type, data: { ...without(data), ...settings } };
}

/** The event as a first release stored it; null if it had no way to say the same. Encrypted fields stay. */
function toOlderRecord(record: StoredRecord): StoredRecord | null {
  const definition = (catalog as EventDefinitions)[record.type];
  const fields = added[record.type];
  if (!definition || !fields) return null;
  const { data } = toOlder({ type: record.type, data: record.data } as GatebookEvent);
  let upcast: Record<string, unknown> = { ...data };
  for (let from = 1; from < definition.version; from += 1) upcast = definition.upcast?.[from]?.(upcast) ?? upcast;
  const valuesOf = ({ settings = {}, ...values }: Record<string, unknown>) => ({ ...values, ...(settings ?? {}) });
  const [now, then] = [valuesOf(record.data), valuesOf(upcast)] as [Record<string, unknown>, Record<string, unknown>];
  // A field that was encrypted, or null, is in neither.
  const isSame = fields.every((field) => isDeepStrictEqual(now[field] ?? null, then[field] ?? null));
  return isSame ? { ...record, version: 1, data } : null;
}

/** Makes the log one that a first release wrote, as far as possible. @returns the types of the changed events */
export function makeOlder({ records, streams }: MemoryLog): Set<string> {
  const types = new Set<string>();
  for (const [index, record] of records.entries()) {
    const older = toOlderRecord(record);
    if (older === null) continue;
    records[index] = older;
    streams.get(record.stream)?.splice(Number(record.revision), 1, older);
    types.add(record.type);
  }
  return types;
}

/** A log that a first release wrote and this one reads. `record` takes events of today. */
export async function createOlderLog(
  metadataOf: (stream: string) => NewMetadata,
): Promise<Pick<TestLog, 'store' | 'keyring' | 'record'>> {
  const keyring = await createKeyring({ masterKey: randomBytes(32), keyStore: createMemoryKeyStore() });
  const [log, blobs] = [createMemoryLog(), createMemoryBlobStore()];
  const open = (by: EventDefinitions) =>
    createMemoryEventStore(createCodec({ catalog: by, keyring, blobs, newEventId }), log);
  const record = createRecord(open(olderCatalog), metadataOf);
  return {
    store: open(catalog),
    keyring,
    record: (stream, ...events) => record(stream, ...events.map((event) => toOlder(event as GatebookEvent))),
  };
}
