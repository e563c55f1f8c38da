import { expect, test } from 'vitest';
import { createStateCache, type RememberedState } from './state-cache.ts';

const remembered = (state: unknown, subjects: readonly string[] = []): RememberedState => ({
  state,
  revision: 0n,
  eventId: null,
  evolve: undefined,
  version: undefined,
  context: { subjects: new Set(subjects), large: new Map() },
  snapshotAt: -1n,
  isOutdated: false,
});

test('the states that were used longest ago make room for others', () => {
  const cache = createStateCache(12_000);
  const text = 'x'.repeat(2_000);
  for (const stream of ['a', 'b']) cache.set(stream, remembered({ text }), 0);
  expect(cache.get('a')?.state).toEqual({ text });
  cache.set('c', remembered(new Map([['text', new Set([text])]])), 0);
  expect(['a', 'b', 'c'].filter((stream) => cache.get(stream))).toEqual(['a', 'c']);
  for (let round = 0; round < 10; round += 1) cache.set('a', remembered({ text }), 0);
  expect(cache.get('c')).toBeDefined();
});

test('a subject is deleted with all its states', () => {
  const cache = createStateCache(10_000);
  cache.set('a', remembered({}, ['ann']), 0);
  cache.set('b', remembered({}, ['ann', 'bob']), 0);
  cache.set('c', remembered({}, ['bob']), 0);
  cache.set('d', remembered({}, ['ann']), 0);
  cache.set('d', remembered({}, ['bob']), 0);
  cache.deleteSubject('ann');
  expect(['a', 'b', 'c', 'd'].filter((stream) => cache.get(stream))).toEqual(['c', 'd']);
  expect([...cache.subjects()]).toEqual(['bob']);
});

test('subjects of states that made room for others are not kept', () => {
  const cache = createStateCache(10_000);
  for (let nth = 0; nth < 100; nth += 1) cache.set(`stream ${nth}`, remembered({}, [`subject ${nth}`]), 0);
  expect(cache.bytes()).toBeLessThanOrEqual(10_000);
  expect([...cache.subjects()].length).toBeLessThan(10);
  expect([...cache.subjects()]).toContain('subject 99');
});

test('a state that was read before the cache was cleared is not added', () => {
  const cache = createStateCache(10_000);
  const since = cache.clears();
  cache.set('a', remembered({}, ['ann']), since);
  cache.clear();
  expect([cache.get('a'), ...cache.subjects()]).toEqual([undefined]);
  cache.set('a', remembered({}), since);
  expect(cache.get('a')).toBeUndefined();
});
