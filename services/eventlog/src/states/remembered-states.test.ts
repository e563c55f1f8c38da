import { randomBytes, randomUUID } from 'node:crypto';
import { defineEvents } from '@gatebook/domain/event';
import { newEventId } from '@gatebook/runtime/ids';
import { beforeEach, expect, test } from 'vitest';
import { createCodec } from '../codec.ts';
import { createKeyring, type Keyring } from '../encryption/keyring.ts';
import { createMemoryKeyStore } from '../encryption/memory-key-store.ts';
import { createMemoryBlobStore } from '../large-values/blob-store.ts';
import { NO_STREAM } from '../port.ts';
import { createRememberedStates, type RememberedStates } from './remembered-states.ts';
import type { RememberedState } from './state-cache.ts';

const fold = { initialState: 0, evolve: (count: number) => count + 1 };
let keyring: Keyring;
let states: RememberedStates;

beforeEach(async () => {
  keyring = await createKeyring({ masterKey: randomBytes(32), keyStore: createMemoryKeyStore() });
  const codec = createCodec({ catalog: defineEvents({}), keyring, blobs: createMemoryBlobStore(), newEventId });
  states = createRememberedStates(codec, {});
});

async function addSubject(projectId: string): Promise<string> {
  const subject = randomUUID();
  await keyring.keysFor([subject], { projectId });
  return subject;
}

const foldedAt = (revision: bigint, subjects: readonly string[] = []): RememberedState<number> => ({
  state: Number(revision) + 1,
  revision,
  eventId: null,
  evolve: fold.evolve,
  version: undefined,
  context: { subjects: new Set(subjects), large: new Map() },
  snapshotAt: NO_STREAM,
  isOutdated: false,
});

const written = (stream: string, expected: bigint) => {
  const metadata = { projectId: 'p', actor: { kind: 'system', id: null }, requestId: 'r', correlationId: 'c' } as const;
  const event = { id: newEventId(), stream, type: 'Added', version: 1, data: {}, encrypted: null };
  const events = [{ ...event, metadata: { ...metadata, causationId: null } }];
  return { stream, expected, events, decoded: [{ type: 'Added', data: {} }] };
};

test('an erasure during a fold concerns only states with data of the erased subject', async () => {
  const [ann, bob] = [await addSubject('shop'), await addSubject('shop')];
  const since = states.clears();
  await keyring.erase(bob);
  states.remember('bob', foldedAt(0n, [bob]), since);
  states.remember('both', foldedAt(0n, [ann, bob]), since);
  expect(states.bytes()).toBe(0);
  states.remember('ann', foldedAt(0n, [ann]), since);
  expect(await states.recall('ann', fold)).toMatchObject({ revision: 0n });
  await keyring.erase(ann);
  expect(states.bytes()).toBe(0);
});

test('an erased project is forgotten, also by folds in progress, and others are not', async () => {
  const [ann, bob, cleo] = [await addSubject('shop'), await addSubject('shop'), await addSubject('bank')];
  const since = states.clears();
  states.remember('ann', foldedAt(0n, [ann]), since);
  states.remember('cleo', foldedAt(0n, [cleo]), since);
  const bytes = states.bytes();
  await keyring.eraseProject('shop', 10);
  states.remember('bob', foldedAt(0n, [bob]), since);
  expect(states.bytes()).toBe(bytes / 2);
  for (const stream of ['ann', 'bob']) expect(await states.recall(stream, fold)).toBeUndefined();
  expect(await states.recall('cleo', fold)).toMatchObject({ revision: 0n });
});

test('a slow fold does not replace a newer state', async () => {
  const since = states.clears();
  states.remember('sum', foldedAt(7n), since);
  states.remember('sum', foldedAt(5n), since);
  expect(await states.recall('sum', fold)).toMatchObject({ state: 8, revision: 7n });
  states.forget();
  states.remember('sum', foldedAt(5n), states.clears());
  expect(await states.recall('sum', fold)).toMatchObject({ state: 6, revision: 5n });
});

test('an append continues the state before it, and keeps one that contains it already', async () => {
  const since = states.clears();
  states.remember('sum', foldedAt(5n), since);
  states.doubt(['sum']);
  states.advance([written('sum', 5n)], since);
  expect(await states.recall('sum', fold)).toMatchObject({ state: 7, revision: 6n, isOutdated: false });
  states.advance([written('sum', 5n)], since);
  expect(await states.recall('sum', fold)).toMatchObject({ state: 7, revision: 6n, isOutdated: false });
  states.advance([written('sum', 8n)], since);
  expect(await states.recall('sum', fold)).toMatchObject({ revision: 6n, isOutdated: true });
});

test('an append that began before the states were dropped outdates a state that it could continue', async () => {
  const since = states.clears();
  states.forget();
  states.remember('sum', foldedAt(5n), states.clears());
  states.advance([written('sum', 5n)], since);
  expect(await states.recall('sum', fold)).toMatchObject({ revision: 5n, isOutdated: true });
});
