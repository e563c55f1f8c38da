import { expect, test } from 'vitest';
import { createLruCache, memoize } from './lru-cache.ts';

test('drops the entries that were used longest ago once the total is too large', () => {
  const cache = createLruCache<string>(100);
  cache.set('a', 'A', 40);
  cache.set('b', 'B', 40);
  expect(cache.get('a')).toBe('A');
  cache.set('c', 'C', 40);
  expect(['a', 'b', 'c'].map(cache.get)).toEqual(['A', undefined, 'C']);
  expect(cache.bytes()).toBe(80);
});

test('counts a replaced value once, and forgets deleted ones', () => {
  const cache = createLruCache<string>(100);
  cache.set('a', 'A', 60);
  cache.set('a', 'B', 70);
  expect(cache.bytes()).toBe(70);
  cache.delete('a');
  cache.delete('a');
  expect(cache.bytes()).toBe(0);
  cache.set('a', 'C', 60);
  cache.clear();
  expect([cache.get('a'), cache.bytes()]).toEqual([undefined, 0]);
});

test('does not keep a value that is larger than the cache, nor its former value', () => {
  const cache = createLruCache<string>(100);
  cache.set('a', 'A', 60);
  cache.set('b', 'B', 30);
  cache.set('a', 'C', 101);
  expect([cache.get('a'), cache.get('b')]).toEqual([undefined, 'B']);
});

test('reports values that were replaced, deleted or dropped for lack of space', () => {
  const removed: string[] = [];
  const cache = createLruCache<string>(100, (key, value) => removed.push(`${key}: ${value}`));
  cache.set('a', 'A', 60);
  cache.set('a', 'B', 60);
  cache.set('b', 'C', 60);
  cache.delete('b');
  cache.delete('b');
  expect(removed).toEqual(['a: A', 'a: B', 'b: C']);
});

test('a function computes a result again only once others took its place', () => {
  const computed: string[] = [];
  const upperCase = memoize((text) => {
    computed.push(text);
    return text.toUpperCase();
  }, 500);
  expect(['a', 'b', 'a'].map(upperCase)).toEqual(['A', 'B', 'A']);
  expect(computed).toEqual(['a', 'b']);
  upperCase('c');
  upperCase('a');
  upperCase('b');
  expect(computed).toEqual(['a', 'b', 'c', 'b']);
});
