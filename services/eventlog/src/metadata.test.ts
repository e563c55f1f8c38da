import { randomBytes, randomUUID } from 'node:crypto';
import { type Actor, defineEvents, type NewMetadata } from '@gatebook/domain/event';
import { newEventId } from '@gatebook/runtime/ids';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { createCodec, type StoredRecord } from './codec.ts';
import { createKeyring } from './encryption/keyring.ts';
import { createMemoryKeyStore } from './encryption/memory-key-store.ts';
import { createMemoryBlobStore } from './large-values/blob-store.ts';

const keyring = await createKeyring({ masterKey: randomBytes(32), keyStore: createMemoryKeyStore() });
const catalog = defineEvents({ Noted: { version: 1, data: z.object({ text: z.string() }) } });
const codec = createCodec({ catalog, keyring, blobs: createMemoryBlobStore(), newEventId });

const origin = { ip: '203.0.113.7', userAgent: 'Mozilla/5.0' };
const given = { projectId: 'p1', requestId: 'r1', correlationId: 'c1', causationId: null };

async function encode(metadata: NewMetadata): Promise<StoredRecord[]> {
  const noted = { type: 'Noted', data: { text: 'a' } };
  const [write] = await codec.encode([{ stream: 'note-1', expected: -1n, events: [noted, noted] }], metadata);
  const events = JSON.parse(JSON.stringify(write?.events)) as StoredRecord[];
  return events.map((event, nth) => ({ ...event, revision: BigInt(nth), position: BigInt(nth + 1) }));
}

async function originsBy(actor: Actor): Promise<{ records: StoredRecord[]; origins: unknown[] }> {
  const records = await encode({ ...given, actor, origin });
  return { records, origins: (await codec.decode(records)).map(({ metadata }) => metadata.origin) };
}

test('metadata of older releases reads with empty values for what was not recorded', async () => {
  const actor: Actor = { kind: 'client', id: null };
  const records = await encode({ ...given, actor, sessionId: null, basis: {}, origin: null });
  expect(records[0]?.metadata).toEqual({ ...given, actor });
  const [event] = await codec.decode(records);
  expect(event?.metadata).toEqual({ ...given, actor, sessionId: null, basis: {}, origin: null });
});

test('the session and the basis are kept', async () => {
  const recorded = { sessionId: randomUUID(), basis: { 'user-1': 4, 'team-1': -1 } };
  const [event] = await codec.decode(await encode({ ...given, actor: { kind: 'user', id: null }, ...recorded }));
  expect(event?.metadata).toMatchObject(recorded);
});

describe('the origin', () => {
  test('is stored only encrypted and reads as it was', async () => {
    const { records, origins } = await originsBy({ kind: 'user', id: randomUUID() });
    expect(JSON.stringify(records.map(({ metadata }) => metadata))).not.toContain(origin.ip);
    expect(origins).toEqual([origin, origin]);
  });

  test('is not recorded of an actor without an ID, or of one who was erased', async () => {
    const erased = randomUUID();
    await keyring.erase(erased);
    for (const id of [null, erased]) {
      const { records, origins } = await originsBy({ kind: 'server', id });
      expect(records.map(({ metadata }) => metadata.origin)).toEqual([undefined, undefined]);
      expect(origins).toEqual([null, null]);
    }
  });

  test('reads as null once the actor is erased', async () => {
    const id = randomUUID();
    const { records } = await originsBy({ kind: 'owner', id });
    await keyring.erase(id);
    expect((await codec.decode(records)).map(({ metadata }) => metadata.origin)).toEqual([null, null]);
  });

  test('of an impersonation is encrypted for who impersonates, not for the user', async () => {
    const [user, owner] = [randomUUID(), randomUUID()];
    await keyring.keysFor([user]);
    const { records } = await originsBy({ kind: 'user', id: user, impersonator: { kind: 'owner', id: owner } });
    await keyring.erase(user);
    expect((await codec.decode(records))[0]?.metadata.origin).toEqual(origin);
    await keyring.erase(owner);
    expect((await codec.decode(records))[0]?.metadata.origin).toBeNull();
  });

  test('stays encrypted for readers that do not need personal data', async () => {
    const { records } = await originsBy({ kind: 'user', id: randomUUID() });
    expect((await codec.decode(records, { personal: true }))[0]?.metadata.origin).toBeNull();
  });

  test.each([
    ['stream', { stream: 'note-2' }],
    ['event', { id: randomUUID() }],
  ])('cannot be moved to another %s', async (_, change) => {
    const { records } = await originsBy({ kind: 'user', id: randomUUID() });
    const [event] = await codec.decode(records.map((record) => ({ ...record, ...change })));
    expect(() => event?.metadata.origin).toThrow();
  });
});
