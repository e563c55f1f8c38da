import { randomBytes, randomUUID } from 'node:crypto';
import { defineEvents, type EventDefinitions, type NewMetadata } from '@gatebook/domain/event';
import { newEventId } from '@gatebook/runtime/ids';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { type Codec, createCodec, type StoredRecord, UnknownEventVersionError } from './codec.ts';
import { createKeyring } from './encryption/keyring.ts';
import { createMemoryKeyStore } from './encryption/memory-key-store.ts';
import { createMemoryBlobStore } from './large-values/blob-store.ts';

const metadata: NewMetadata = {
  projectId: 'p1',
  actor: { kind: 'user', id: 'u1' },
  requestId: 'r1',
  correlationId: 'c1',
  causationId: null,
};

const personNamed = {
  PersonNamed: {
    version: 1,
    data: z.object({
      personId: z.uuid(),
      name: z.string().nullable(),
      notes: z.json().nullable(),
      rank: z.number(),
    }),
    personal: { subject: 'personId', fields: ['name', 'notes'] },
  },
} as const;
const catalog = defineEvents(personNamed);

const keyring = await createKeyring({ masterKey: randomBytes(32), keyStore: createMemoryKeyStore() });
const blobs = createMemoryBlobStore();
const codecFor = (definitions: EventDefinitions) => createCodec({ catalog: definitions, keyring, blobs, newEventId });
const codec = codecFor(catalog);

const noon = '2026-01-01T12:00:00.000Z';

async function encodeOne(type: string, data: Record<string, unknown>, by: Codec = codec): Promise<StoredRecord> {
  const [write] = await by.encode([{ stream: 'person-1', expected: -1n, events: [{ type, data }] }], metadata);
  const [event] = write?.events ?? [];
  if (!event) throw new Error('nothing was encoded');
  // Through JSON, as every adapter stores it.
  return { ...event, data: JSON.parse(JSON.stringify(event.data)), revision: 0n, position: 1n, committedAt: noon };
}
const decodeOne = async (record: StoredRecord, by: Codec = codec) => (await by.decode([record]))[0]?.data;

const personId = randomUUID();
const ann = { personId, name: 'Ann Alder', notes: null, rank: 3 };

test('personal fields are stored only encrypted and decode to the same values', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.option(fc.string({ unit: 'grapheme' })),
      fc.option(fc.jsonValue({ noUnicodeString: false })),
      async (name, notes) => {
        // The schema drops keys that would reach an object's prototype.
        fc.pre(!JSON.stringify(notes).includes('__proto__'));
        const data = { personId, name, notes: JSON.parse(JSON.stringify(notes)), rank: 1 };
        const record = await encodeOne('PersonNamed', data);
        expect(record.data).toEqual({ personId, rank: 1 });
        expect(await decodeOne(record)).toEqual(data);
      },
    ),
  );
});

test('an event without personal data has no ciphertext', async () => {
  const record = await encodeOne('PersonNamed', { ...ann, name: null });
  expect(record.encrypted).toBeNull();
  expect(await decodeOne(record)).toEqual({ ...ann, name: null });
});

test.each([
  ['stream', { stream: 'person-2' }],
  ['id', { id: randomUUID() }],
  ['type', { type: 'PersonRenamed' }],
])('a ciphertext cannot be decrypted with another %s', async (_, change) => {
  const record = await encodeOne('PersonNamed', ann);
  const both = codecFor({ ...catalog, PersonRenamed: catalog.PersonNamed });
  expect(await decodeOne(record, both)).toEqual(ann);
  await expect(decodeOne({ ...record, ...change }, both)).rejects.toThrow();
});

test('a ciphertext cannot be decrypted for another subject', async () => {
  const record = await encodeOne('PersonNamed', ann);
  const other = randomUUID();
  await keyring.keysFor([other]);
  await expect(decodeOne({ ...record, data: { ...record.data, personId: other } })).rejects.toThrow();
});

test('fields that the schema does not define are not stored', async () => {
  const record = await encodeOne('PersonNamed', { ...ann, email: 'ann@example.com' });
  expect(record.data).toEqual({ personId, rank: 3 });
  expect(await decodeOne(record)).toEqual(ann);
});

test('an event that breaks its schema is an error at append and at read, and the error contains no values', async () => {
  await expect(encodeOne('PersonNamed', { ...ann, rank: 'ann@example.com' })).rejects.toThrow(
    /^event PersonNamed breaks its schema$/,
  );
  const record = await encodeOne('PersonNamed', ann);
  const broken = decodeOne({ ...record, data: { personId, rank: 'ann@example.com' } });
  await expect(broken).rejects.toThrow(/^event PersonNamed at position 1 breaks its schema$/);
  const fault = await broken.catch((error: unknown) => error);
  expect(JSON.stringify((fault as Error).cause)).not.toContain('ann@example.com');
});

const second = {
  version: 2,
  data: z.object({ personId: z.uuid(), fullName: z.string().nullable(), notes: z.json().nullable(), rank: z.number() }),
  personal: { subject: 'personId', fields: ['fullName', 'notes'] },
  upcast: { 1: ({ name, ...data }: Record<string, unknown>) => ({ ...data, fullName: name }) },
} as const;
const third = {
  ...second,
  version: 3,
  data: z.object({ ...second.data.shape, rank: z.string() }),
  upcast: { ...second.upcast, 2: (data: Record<string, unknown>) => ({ ...data, rank: `rank ${data.rank}` }) },
} as const;

test('old versions are upcast step by step, including renamed personal fields', async () => {
  const record = await encodeOne('PersonNamed', ann);
  const newest = codecFor({ PersonNamed: third });
  expect(await decodeOne(record, newest)).toEqual({ personId, fullName: 'Ann Alder', notes: null, rank: 'rank 3' });
  const between = await encodeOne(
    'PersonNamed',
    { personId, fullName: 'A', notes: 1, rank: 4 },
    codecFor({ PersonNamed: second }),
  );
  expect(await decodeOne(between, newest)).toEqual({ personId, fullName: 'A', notes: 1, rank: 'rank 4' });
});

test('an old event of an erased subject is upcast with null in its personal fields', async () => {
  const gone = randomUUID();
  const record = await encodeOne('PersonNamed', { ...ann, personId: gone });
  await keyring.erase(gone);
  const expected = { personId: gone, fullName: null, notes: null, rank: 'rank 3' };
  expect(await decodeOne(record, codecFor({ PersonNamed: third }))).toEqual(expected);
});

test('a newer version and an unknown type stop the reader', async () => {
  const record = await encodeOne('PersonNamed', ann);
  await expect(decodeOne({ ...record, version: 2 })).rejects.toThrow(
    new UnknownEventVersionError({ ...record, version: 2 }),
  );
  await expect(decodeOne({ ...record, type: 'toString' })).rejects.toThrow(UnknownEventVersionError);
  await expect(encodeOne('constructor', {})).rejects.toThrow('not in the catalog');
});

test('an event that cannot be read is a part of its page; reading its data throws the reason', async () => {
  const [one, broken] = [await encodeOne('PersonNamed', ann), await encodeOne('PersonNamed', ann)];
  const lost = await encodeOne('PersonNamed', { ...ann, personId: randomUUID() });
  const forgetful = createCodec({
    catalog,
    newEventId,
    blobs: createMemoryBlobStore(),
    keyring: { ...keyring, open: async () => new Map([...(await keyring.open([personId]))]) },
  });
  const page = await forgetful.decode([one, { ...broken, data: {} }, { ...one, version: 9 }, lost, one]);
  expect(page.map(({ unreadable }) => unreadable?.constructor.name)).toEqual([
    undefined,
    'UnreadableEventError',
    'UnknownEventVersionError',
    'LostKeyError',
    undefined,
  ]);
  expect(page[4]?.data).toEqual(ann);
  expect(page[1]).toMatchObject({ id: broken.id, type: 'PersonNamed', metadata });
  expect(() => page[1]?.data).toThrow('breaks its schema');
  expect(page[3]?.unreadable).toMatchObject({ subjectId: lost.data.personId, projectId: 'p1' });
  expect((await forgetful.decode([lost], { personal: true }))[0]?.data).toMatchObject({ name: null, rank: 3 });
});

test('an old version without an upcast stops the reader', async () => {
  const record = await encodeOne('PersonNamed', ann);
  const gap = codecFor({ PersonNamed: { ...third, upcast: { 2: third.upcast[2] } } });
  await expect(decodeOne(record, gap)).rejects.toThrow('no upcast from version 1');
});
