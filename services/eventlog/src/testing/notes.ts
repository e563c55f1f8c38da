import { randomBytes } from 'node:crypto';
import { defineEvents, type NewMetadata, type Recorded } from '@gatebook/domain/event';
import { newEventId } from '@gatebook/runtime/ids';
import { z } from 'zod';
import { type Codec, createCodec } from '../codec.ts';
import { createKeyring } from '../encryption/keyring.ts';
import { createMemoryKeyStore } from '../encryption/memory-key-store.ts';
import { createMemoryBlobStore } from '../large-values/blob-store.ts';
import type { Write } from '../port.ts';

/** Events for tests of the log: a note, and one with personal data. */
export const notesCatalog = defineEvents({
  Noted: { version: 1, data: z.object({ text: z.string() }) },
  PersonNamed: {
    version: 1,
    data: z.object({ personId: z.uuid(), name: z.string().nullable(), isMember: z.boolean() }),
    personal: { subject: 'personId', fields: ['name'] },
  },
});

export const metadata = {
  projectId: 'p1',
  actor: { kind: 'system', id: null },
  requestId: 'r1',
  correlationId: 'c1',
  causationId: null,
} as const satisfies NewMetadata;

export const write = (stream: string, expected: bigint, ...texts: string[]): Write => ({
  stream,
  expected,
  events: texts.map((text) => ({ type: 'Noted', data: { text } })),
});

export const textsOf = (events: readonly Pick<Recorded, 'data'>[]): string[] =>
  events.map(({ data }) => String(data.text));

/** A codec with its own keys in memory. */
export async function createNotesCodec(): Promise<Codec> {
  const keyring = await createKeyring({ masterKey: randomBytes(32), keyStore: createMemoryKeyStore() });
  return createCodec({ catalog: notesCatalog, keyring, blobs: createMemoryBlobStore(), newEventId });
}
