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
  const cache = createStateCache(10_000);
  const text = 'x'.repeat(2_000);
  for (const stream of ['a', 'b']) cache.set(stream, remembered({ text }), 0);
  expect(cache.get('a')?.state).toEqual({ text });
  cache.set('c', remembered(new Map([['text', new Set([text])]])), 0);
  expect(['a', 'b', 'c'].filter((stream) => cache.get(stream))).toEqual(['a', 'c']);
  for (let round = 0; round < 10; round += 1) cache.set('a', remembered({ text }), 0);
  expect(cache.get('c')).toBeDefined();
});

test('a subject is forgotten with all its states, and nothing that was read before is remembered', () => {
  const cache = createStateCache(10_000);
  cache.set('a', remembered({}, ['ann']), 0);
  cache.set('b', remembered({}, ['bob']), 0);
  const since = cache.drops();
  cache.forget('ann');
  expect(['a', 'b'].filter((stream) => cache.get(stream))).toEqual(['b']);
  cache.set('a', remembered({}, ['ann']), since);
  expect(cache.get('a')).toBeUndefined();
  cache.forget();
  expect(cache.get('b')).toBeUndefined();
});
