import { randomBytes } from 'node:crypto';
import { catalog } from '@gatebook/domain/catalog';
import { codeDecider } from '@gatebook/domain/code/decide';
import { codeEvents } from '@gatebook/domain/code/events';
import type { Decider } from '@gatebook/domain/decider';
import type { DomainEvent, NewMetadata } from '@gatebook/domain/event';
import { mailingDecider } from '@gatebook/domain/mailing/decide';
import { mailingEvents } from '@gatebook/domain/mailing/events';
import { membershipDecider } from '@gatebook/domain/membership/decide';
import { membershipEvents } from '@gatebook/domain/membership/events';
import { projectDecider } from '@gatebook/domain/project/decide';
import { projectEvents } from '@gatebook/domain/project/events';
import { teamDecider } from '@gatebook/domain/team/decide';
import { teamEvents } from '@gatebook/domain/team/events';
import { userDecider } from '@gatebook/domain/user/decide';
import { userEvents } from '@gatebook/domain/user/events';
import { newEventId } from '@gatebook/runtime/ids';
import { describe, expect, test } from 'vitest';
import type { z } from 'zod';
import { createCodec } from '../codec.ts';
import { createKeyring } from '../encryption/keyring.ts';
import { createMemoryKeyStore } from '../encryption/memory-key-store.ts';
import { createMemoryEventStore } from '../memory/store.ts';
import { NO_STREAM } from '../port.ts';
import { createMemoryBlobStore } from './blob-store.ts';

const metadata: NewMetadata = {
  projectId: 'p1',
  actor: { kind: 'user', id: 'u1' },
  requestId: 'r1',
  correlationId: 'c1',
  causationId: null,
};
const keyring = await createKeyring({ masterKey: randomBytes(32), keyStore: createMemoryKeyStore() });

type Def = {
  type: string;
  format?: string;
  innerType?: z.ZodType;
  element?: z.ZodType;
  valueType?: z.ZodType;
  entries?: Record<string, string>;
  values?: unknown[];
  options?: z.ZodType[];
  shape?: Record<string, z.ZodType>;
};

/** A value with every text and list of the schema far longer than fits into an event. */
function largeValue(schema: z.ZodType, name = ''): unknown {
  const def = schema._zod.def as unknown as Def;
  const inner = def.innerType ?? def.element ?? def.valueType;
  switch (def.type) {
    case 'string':
      if (def.format === 'uuid') return '11111111-1111-4111-8111-111111111111';
      if (def.format === 'datetime') return '2026-01-01T00:00:00.000Z';
      // IDs and hashes that Gatebook makes.
      if (/(Id|Key|Ref|[hH]ash|Hash)$/.test(name) && name !== 'passwordHash') return 'x'.repeat(100);
      return 'x'.repeat(5_000);
    case 'number':
      return Math.max(7, (schema as z.ZodNumber).minValue ?? 7);
    case 'boolean':
      return true;
    case 'enum':
      return Object.values(def.entries ?? {})[0];
    case 'literal':
      return def.values?.[0];
    case 'array':
      return Array.from({ length: 200 }, () => largeValue(inner as z.ZodType));
    case 'record':
      return Object.fromEntries(largeKeys(schema).map((key) => [key, largeValue(inner as z.ZodType)]));
    case 'union':
      return largeValue(def.options?.at(-1) as z.ZodType);
    case 'object':
      return Object.fromEntries(
        Object.entries(def.shape ?? {}).map(([field, value]) => [field, largeValue(value, field)]),
      );
    case 'lazy':
      return { text: 'x'.repeat(5_000) };
    default:
      if (inner) return largeValue(inner, name);
      throw new Error(`no large value for a schema of type ${def.type}`);
  }
}

function largeKeys(schema: z.ZodType): string[] {
  const { keyType } = schema._zod.def as unknown as { keyType: z.ZodType };
  const { entries } = keyType._zod.def as unknown as Def;
  return entries ? Object.values(entries) : ['a', 'b', 'c'];
}

const eventOf = (type: string): DomainEvent => ({
  type,
  data: largeValue(catalog[type as keyof typeof catalog].data) as Record<string, unknown>,
});

function createStore() {
  const blobs = createMemoryBlobStore();
  const loaded: string[] = [];
  const counting = {
    ...blobs,
    load: (ids: Parameters<typeof blobs.load>[0]) => {
      loaded.push(...ids.map(({ hash }) => hash));
      return blobs.load(ids);
    },
  };
  const codec = createCodec({ catalog, keyring, blobs: counting, newEventId });
  return { codec, loaded, store: createMemoryEventStore(codec) };
}

describe('no event is large, whatever its fields contain', () => {
  test.each(Object.keys(catalog))('%s', async (type) => {
    const { codec, store } = createStore();
    const event = eventOf(type);
    const write = { stream: 'any', expected: NO_STREAM, events: [event] };
    const [stored] = await codec.encode([write], metadata);
    expect(JSON.stringify(stored?.events).length).toBeLessThan(16_384);
    await store.append([write], metadata);
    const [read] = await store.readAll(0n, 1);
    expect(read?.data).toEqual(catalog[type as keyof typeof catalog].data.parse(event.data));
    expect(stored?.decoded).toStrictEqual([{ type, data: read?.data }]);
  });
});

const ends = ['UserDeleted', 'UserErased', 'TeamDeleted', 'ProjectDeleted', 'TeamMemberRemoved'];

describe('folds of streams with large values end in the same state as folds of the values', () => {
  test.each<[string, object, unknown]>([
    ['user', userEvents, userDecider],
    ['team', teamEvents, teamDecider],
    ['membership', membershipEvents, membershipDecider],
    ['project', projectEvents, projectDecider],
    ['mailing', mailingEvents, mailingDecider],
    ['code', codeEvents, codeDecider],
  ])('%s', async (_name, definitions, decider) => {
    const { initialState, evolve } = decider as Decider<unknown, never, DomainEvent>;
    const { store } = createStore();
    const events = Object.keys(definitions)
      .filter((type) => !ends.includes(type))
      .map(eventOf);
    await store.append([{ stream: 'any', expected: NO_STREAM, events }], metadata);
    const { state, revision } = await store.foldStream('any', { initialState, evolve });
    const read = await store.readStream('any');
    expect(state).toEqual(read.events.reduce(evolve, initialState));
    expect(revision).toBe(BigInt(events.length - 1));
    expect(JSON.stringify(state)).not.toContain('large value');
  });
});

test('a fold loads only the values that its state keeps', async () => {
  const { store, loaded } = createStore();
  const teamId = '11111111-1111-4111-8111-111111111111';
  const image = (index: number): DomainEvent => ({
    type: 'TeamImageChanged',
    data: { teamId, profileImageUrl: `data:${index}${'x'.repeat(10_000)}`, at: '2026-01-01T00:00:00.000Z' },
  });
  const events = [eventOf('TeamCreated'), ...Array.from({ length: 50 }, (_, index) => image(index))];
  await store.append([{ stream: 'team-1', expected: NO_STREAM, events }], metadata);
  const { state } = await store.foldStream('team-1', teamDecider);
  expect(state).toMatchObject({ profileImageUrl: image(49).data.profileImageUrl });
  // The name, which is always read, the last image, and three kinds of metadata.
  expect(loaded).toHaveLength(5);
});
