import type { Recorded } from '@gatebook/domain/event';
import { describe, expect, test } from 'vitest';
import { createHotRows } from './hot-rows.ts';
import type { TailListener } from './log-tail.ts';
import { testEvent } from './testing/test-log.ts';

const event = (position: bigint, stream: string, revision = 1n): Recorded => ({
  ...testEvent,
  position,
  stream,
  revision,
});

/** A cache whose rows, positions and peers the test sets. */
function setUp({ maxBytes }: { maxBytes?: number } = {}) {
  let listener: TailListener | undefined;
  const state = {
    position: 10n,
    continuity: 0,
    quarantined: [] as string[],
    canCache: true,
    reads: 0,
    version: 1,
    until: null as number | null,
    streams: ['user-1', 'team-1'] as readonly string[],
    announced: [] as bigint[],
    waitedFor: [] as bigint[],
  };
  const rows = createHotRows({
    tail: { add: (added) => (listener = added) },
    peers: {
      canCache: () => state.canCache,
      announce: (position) => void state.announced.push(position),
      allPassed: (position) => {
        state.waitedFor.push(position);
        return null;
      },
    },
    readModels: {
      position: () => state.position,
      continuity: () => state.continuity,
      isQuarantined: (projectIds) => projectIds.some((projectId) => state.quarantined.includes(projectId)),
    },
    isRelevant: ({ stream }) => !stream.startsWith('code-'),
    ...(maxBytes && { maxBytes }),
  });
  if (!listener) throw new Error('the cache does not follow the log');
  listener.begin(10n);
  /** `meanwhile` runs after the row was read and before it arrives. */
  const find = async (key = 'k', meanwhile: () => void = () => undefined) => {
    const found = await rows.find(
      key,
      async () => {
        state.reads += 1;
        const read = [{ version: state.version }];
        meanwhile();
        return read;
      },
      () => ({ projectId: 'p', streams: state.streams, until: state.until }),
    );
    return found[0]?.version;
  };
  /** Whether the next lookup of the row is answered from memory. */
  const isKept = async (key = 'k') => {
    const before = state.reads;
    await find(key);
    return state.reads === before;
  };
  return { rows, listener, state, find, isKept };
}

describe('a row', () => {
  test('is served from memory until an event is appended to a stream that it stands on', async () => {
    const { listener, state, find, isKept } = setUp();
    await find();
    listener.see([event(11n, 'user-2'), event(12n, 'code-1')]);
    expect(await isKept()).toBe(true);
    listener.see([event(13n, 'team-1')]);
    [state.position, state.version] = [13n, 2];
    expect(await find()).toBe(2);
    expect(await isKept()).toBe(true);
  });

  test('is not kept while the read models lack an event of its streams', async () => {
    const { listener, state, find, isKept } = setUp();
    listener.see([event(11n, 'user-1')]);
    await find();
    expect(await isKept()).toBe(false);
    state.position = 11n;
    await find();
    expect(await isKept()).toBe(true);
  });

  test('is not kept if one of its streams changes while it is read', async () => {
    const { listener, state, find, isKept } = setUp();
    await find('k', () => {
      listener.see([event(11n, 'user-1')]);
      state.position = 11n;
    });
    expect(await isKept()).toBe(false);
  });

  test('is read again from the time that it names', async () => {
    const { state, find, isKept } = setUp();
    state.until = Date.now() - 1;
    await find();
    expect(await isKept()).toBe(false);
    state.until = Date.now() + 60_000;
    await find();
    expect(await isKept()).toBe(true);
  });

  test.each([
    ['the log is not followed', ({ listener }) => listener.end()],
    ['the process has no cache lease', ({ state }) => Object.assign(state, { canCache: false })],
    ['its project is quarantined', ({ state }) => Object.assign(state, { quarantined: ['p'], continuity: 1 })],
  ] satisfies [string, (parts: ReturnType<typeof setUp>) => void][])(
    'is not served from memory while %s',
    async (_, change) => {
      const parts = setUp();
      await parts.find();
      change(parts);
      expect(await parts.isKept()).toBe(false);
      expect(await parts.isKept()).toBe(false);
    },
  );

  test.each([
    ['rows changed without an event', ({ state }) => Object.assign(state, { continuity: state.continuity + 1 })],
    ['the tail of the log began anew', ({ listener }) => listener.begin(10n)],
    ['its subject was erased', ({ rows }) => rows.forget(['user-1'])],
    ['any subject may have been erased', ({ rows }) => rows.forget(null)],
  ] satisfies [string, (parts: ReturnType<typeof setUp>) => void][])(
    'is dropped, and not kept if it is being read, when %s',
    async (_, change) => {
      const parts = setUp();
      await parts.find();
      expect(parts.rows.bytes()).toBeGreaterThan(0);
      change(parts);
      await parts.find('other', () => change(parts));
      expect(await parts.isKept('other')).toBe(false);
      expect(await parts.isKept()).toBe(false);
    },
  );

  test('that was erased leaves nothing in memory', async () => {
    const { rows, find } = setUp();
    await find();
    rows.forget(['user-1']);
    expect(rows.bytes()).toBe(0);
  });

  test('read before the log fell back is not kept', async () => {
    const { listener, state, find, isKept } = setUp();
    listener.see([event(11n, 'user-1')]);
    listener.end();
    state.position = -1n;
    listener.begin(9n);
    await find();
    expect(await isKept()).toBe(false);
    state.position = 9n;
    await find();
    expect(await isKept()).toBe(true);
  });
});

test('the rows in memory take a bounded number of bytes, and the last used are kept', async () => {
  const { rows, find, isKept } = setUp({ maxBytes: 20_000 });
  for (let n = 0; n < 100; n += 1) {
    await find(`k${n}`);
    await find('busy');
    expect(rows.bytes()).toBeLessThanOrEqual(20_000);
  }
  expect(await isKept('k99')).toBe(true);
  expect(await isKept('busy')).toBe(true);
  expect(await isKept('k0')).toBe(false);
});

test('changes of more streams than are remembered keep no row until the read models show them', async () => {
  const { listener, state, find, isKept } = setUp();
  listener.see(Array.from({ length: 10_001 }, (_, n) => event(BigInt(n) + 11n, `user-x${n}`)));
  await find();
  expect(await isKept()).toBe(false);
  state.position = 10_011n;
  await find();
  expect(await isKept()).toBe(true);
});

describe('a write', () => {
  test('is announced, and waits for the peers, only if rows can stand on its streams', async () => {
    const { rows, listener, state } = setUp();
    listener.see([event(11n, 'session-1', 0n), event(12n, 'code-1')]);
    rows.passed(12n);
    expect([state.announced, state.waitedFor]).toEqual([[], [10n]]);
    listener.see([event(13n, 'session-1'), event(14n, 'code-1')]);
    rows.passed(14n);
    expect([state.announced, state.waitedFor]).toEqual([[14n], [10n, 13n]]);
  });

  test('waits for its own event, which drops the row', async () => {
    const { rows, listener, state, find, isKept } = setUp();
    await find();
    const passed = rows.passed(11n);
    expect(state.waitedFor).toEqual([]);
    listener.see([event(11n, 'user-1')]);
    await passed;
    expect(state.waitedFor).toEqual([11n]);
    expect(await isKept()).toBe(false);
  });

  test('whose event does not arrive stops the memory until it does', async () => {
    const { rows, listener, state, find, isKept } = setUp();
    await find();
    await rows.passed(11n);
    expect(state.waitedFor).toEqual([11n]);
    expect(await isKept()).toBe(false);
    listener.see([event(11n, 'user-9')]);
    await find();
    expect(await isKept()).toBe(true);
  });
});
