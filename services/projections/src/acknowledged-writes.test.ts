import { expect, test } from 'vitest';
import { createAcknowledgedWrites } from './acknowledged-writes.ts';
import type { TailListener } from './log-tail.ts';
import { testEvent, testMetadata } from './testing/test-log.ts';
import type { ReadModels } from './wait.ts';

/** The test sets the positions of rows and log. A wait calls `whileWaiting`, which can advance the rows. */
function setUp() {
  const state = {
    rows: 0n,
    isStopped: false,
    followed: 0n as bigint | null,
    /** The head of the log almost two seconds ago. Writes below it may have been acknowledged. */
    due: 0n as bigint | null,
    head: 0n as bigint | null,
    waits: 0,
    gaps: 0,
    whileWaiting: () => {},
  };
  const listeners: TailListener[] = [];
  const tail = {
    add: (listener: TailListener) => void listeners.push(listener),
    followed: () => state.followed,
    headWithin: () => state.due,
    look: async () => state.head,
    follow: async () => undefined,
  };
  const readModels: Pick<ReadModels, 'position' | 'isStopped' | 'isQuarantined' | 'reached' | 'gaps'> = {
    gaps: () => state.gaps,
    position: () => state.rows,
    isStopped: () => state.isStopped,
    isQuarantined: () => false,
    reached: async (position, timeoutMs = 0) => {
      if (position === null || state.rows >= position) return 'reached';
      if (timeoutMs > 0) {
        state.waits += 1;
        state.whileWaiting();
      }
      return state.rows >= position ? 'reached' : 'behind';
    },
  };
  const writes = createAcknowledgedWrites({
    tail,
    readModels: readModels as ReadModels,
    scopesOf: ({ metadata }) => new Set([metadata.projectId]),
  });
  for (const { begin } of listeners) begin(0n);
  /** Delivers an event to this process. */
  const see = (position: bigint, projectId: string) => {
    const metadata = { ...testMetadata, projectId };
    const event = { ...testEvent, position, metadata };
    for (const listener of listeners) listener.see([event]);
    state.followed = position;
  };
  return { state, writes, see, begin: (head: bigint) => listeners.forEach(({ begin }) => void begin(head)) };
}

test('rows that contain every write that may have been acknowledged are read at once', () => {
  const { state, writes, see } = setUp();
  state.rows = 7n;
  state.due = 7n;
  see(8n, 'p1');
  expect(writes.readable(['p1'])).toBeNull();
});

test('a read waits for a write of its scope that may have been acknowledged', async () => {
  const { state, writes, see } = setUp();
  see(1n, 'p1');
  state.due = 1n;
  state.whileWaiting = () => {
    state.rows = 1n;
  };
  expect(await writes.readable(['p1'])).toBe('reached');
  expect(state.waits).toBe(1);
  expect(writes.readable(['p1'])).toBeNull();
});

test('a read does not wait for a write of another scope', async () => {
  const { state, writes, see } = setUp();
  see(1n, 'p1');
  see(2n, 'p2');
  state.due = 2n;
  expect(await writes.readable(['p3'])).toBe('reached');
  expect(state.waits).toBe(0);
  state.rows = 1n;
  expect(await writes.readable(['p1'])).toBe('reached');
  expect(state.waits).toBe(0);
});

test('a read waits for events whose scope is not known yet', async () => {
  const { state, writes, see, begin } = setUp();
  see(1n, 'p1');
  state.due = 2n;
  state.whileWaiting = () => {
    state.rows += 1n;
  };
  expect(await writes.readable(['p3'])).toBe('reached');
  expect(state.rows).toBe(2n);
  state.rows = 2n;
  state.due = 5n;
  begin(5n);
  state.followed = 5n;
  expect(await writes.readable(['p3'])).toBe('reached');
  expect(state.rows).toBe(5n);
});

test('a read looks at the head if there was no recent look, and does not wait if the log is unavailable', async () => {
  const { state, writes } = setUp();
  state.due = null;
  state.head = 3n;
  state.followed = 3n;
  expect(await writes.readable(['p1'])).toBe('reached');
  state.head = null;
  expect(await writes.readable(['p1'])).toBe('behind');
});

test('a read waits for rows that stand still once, and then not until they move', async () => {
  const { state, writes, see } = setUp();
  see(9n, 'p1');
  state.due = 9n;
  expect(await writes.readable(['p1'])).toBe('behind');
  const waits = state.waits;
  expect(waits).toBeGreaterThan(1);
  expect(await writes.readable(['p1'])).toBe('behind');
  expect(state.waits).toBe(waits);
  state.rows = 4n;
  state.whileWaiting = () => {
    state.rows = 9n;
  };
  expect(await writes.readable(['p1'])).toBe('reached');
});

test('a read does not wait for a stopped projection', async () => {
  const { state, writes, see } = setUp();
  see(1n, 'p1');
  state.due = 1n;
  state.isStopped = true;
  expect(await writes.readable(['p1'])).toBe('behind');
  expect(state.waits).toBe(0);
});

test('every read waits for rows that a database crash took back', async () => {
  const { state, writes } = setUp();
  state.rows = 6n;
  state.followed = 6n;
  expect(writes.readable(['p1'])).toBeNull();
  state.rows = 4n;
  state.whileWaiting = () => {
    state.rows = 6n;
  };
  expect(await writes.readable(['p3'])).toBe('reached');
  expect(state.rows).toBe(6n);
});

test('a read does not wait for any number of writes of another scope', async () => {
  const { state, writes, see } = setUp();
  see(1n, 'p2');
  for (let position = 2n; position <= 60_000n; position += 1n) see(position, 'p1');
  see(60_001n, 'p2');
  state.due = 60_000n;
  state.rows = 1n;
  expect(await writes.readable(['p2'])).toBe('reached');
  expect(await writes.readable(['p3'])).toBe('reached');
  expect(state.waits).toBe(0);
  state.whileWaiting = () => {
    state.rows += 20_000n;
  };
  expect(await writes.readable(['p1'])).toBe('reached');
  expect(state.rows).toBeGreaterThanOrEqual(60_000n);
});

test('the backlog of a scope is the number of its events that the rows do not show', () => {
  const { state, writes, see } = setUp();
  for (let position = 1n; position <= 1_000n; position += 1n) see(position, position % 10n === 0n ? 'p2' : 'p1');
  expect(writes.backlog('p1').events).toBe(900);
  expect(writes.backlog('p2').events).toBe(100);
  state.rows = 1_000n;
  expect(writes.backlog('p1')).toEqual({ events: 0, ageMs: 0 });
  expect(writes.backlog('p3')).toEqual({ events: 0, ageMs: 0 });
});

test('after a crash, no read is complete until the rows contain the log of a later moment', async () => {
  const { state, writes } = setUp();
  state.followed = 6n;
  state.due = 4n;
  state.head = 6n;
  state.rows = 5n;
  expect(writes.readable(['p1'])).toBeNull();
  // Writes of the last two seconds were acknowledged by another process, and the crash took their rows.
  state.gaps = 1;
  expect(await writes.readable(['p1'])).toBe('behind');
  state.rows = 6n;
  expect(await writes.readable(['p1'])).toBe('reached');
  expect(writes.readable(['p1'])).toBeNull();
});

test('positions that the log has lost do not delay reads', () => {
  const { state, writes, begin } = setUp();
  state.rows = 9n;
  expect(writes.readable(['p1'])).toBeNull();
  begin(4n);
  [state.rows, state.due] = [4n, 4n];
  expect(writes.readable(['p1'])).toBeNull();
});
