import { expect, test } from 'vitest';
import { createShardPositions } from './shard-positions.ts';

/** Of three shards: `north`, also the shared project, is in the first, `farm` in the second, `west` in the third. */
function setUp(followed = 0n) {
  const positions = createShardPositions([0n, 0n, 0n], { shared: 'north', followed });
  const see = (position: bigint, projectId: string, { isForAll = false, isShared = false } = {}) =>
    positions.see([{ position }], () => ({ position, projectId, isForAll, isShared }));
  return { ...positions, see };
}

test('a shard has passed the events of other shards as soon as they are known', () => {
  const { see, position } = setUp();
  see(1n, 'farm');
  see(2n, 'west');
  expect(position(['north'])).toBe(2n);
  expect(position(['farm'])).toBe(0n);
  expect(position(['west'])).toBe(1n);
  expect(position()).toBe(0n);
});

test('an announcement passes the events up to its position', () => {
  const { see, position, advance } = setUp();
  for (const at of [1n, 2n, 4n]) see(at, 'farm');
  advance(1, 2n);
  expect(position(['farm'])).toBe(3n);
  advance(1, 4n);
  see(5n, 'west');
  expect(position(['farm'])).toBe(5n);
});

test('an announcement that overtakes the event passes it too', () => {
  const { see, position, advance } = setUp();
  advance(1, 3n);
  see(3n, 'farm');
  expect(position(['farm'])).toBe(3n);
});

test('events before the log was followed are passed when the projector announces them', () => {
  const { see, position, advance } = setUp(5n);
  see(6n, 'west');
  expect(position(['farm'])).toBe(0n);
  advance(1, 5n);
  expect(position(['farm'])).toBe(6n);
});

test('after a gap, only announced positions count', () => {
  const { see, position, advance, forget } = setUp();
  see(1n, 'farm');
  advance(1, 1n);
  forget();
  see(2n, 'west');
  expect(position(['farm'])).toBe(-1n);
  advance(1, 1n);
  expect(position(['farm'])).toBe(2n);
});

test('a beginning at a lower head forgets what was known of later positions', () => {
  const { see, position, begin, forget } = setUp();
  for (const at of [1n, 2n, 3n]) see(at, 'west');
  forget();
  begin(1n);
  expect(position(['farm'])).toBe(-1n);
});

test('readers of the shared project wait for what they see of other projects, and for nothing else of them', () => {
  const { see, position, advance } = setUp();
  see(1n, 'farm');
  see(2n, 'farm', { isShared: true });
  expect(position(['north'])).toBe(1n);
  advance(1, 2n);
  see(3n, 'north', { isForAll: true });
  advance(0, 3n);
  expect(position(['north'])).toBe(2n);
  advance(1, 3n);
  advance(2, 3n);
  expect(position(['north'])).toBe(3n);
});

test('an own write is in the tables when the shard of its project has applied it, whichever that is', () => {
  const { see, contains, advance } = setUp();
  expect(contains(1n, ['north'])).toBe(false);
  see(1n, 'farm');
  expect(contains(1n, ['north'])).toBe(false);
  see(2n, 'west');
  advance(1, 1n);
  expect(contains(1n, ['north'])).toBe(true);
  expect(contains(2n, ['farm'])).toBe(false);
  advance(2, 2n);
  expect(contains(2n, ['farm'])).toBe(true);
});

test('an own write of the shared project is in the tables when every shard that it concerns has applied it', () => {
  const { see, contains, advance } = setUp();
  see(1n, 'north', { isForAll: true });
  see(2n, 'north');
  advance(0, 2n);
  expect(contains(2n, ['north'])).toBe(false);
  advance(1, 1n);
  advance(2, 1n);
  expect(contains(2n, ['north'])).toBe(true);
});

test('too many events that a shard has not passed are forgotten, and its announcements count', () => {
  const { see, position, advance } = setUp();
  for (let at = 1n; at <= 10_001n; at += 1n) see(at, 'farm');
  advance(1, 10_000n);
  expect(position(['farm'])).toBe(10_000n);
  advance(1, 10_001n);
  see(10_002n, 'west');
  expect(position(['farm'])).toBe(10_002n);
});
