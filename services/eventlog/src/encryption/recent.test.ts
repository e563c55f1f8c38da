import { expect, test } from 'vitest';
import { createRecent } from './recent.ts';

test('at its limit, the cache removes the entry that was set first', () => {
  const recent = createRecent<number>(2);
  recent.set('a', 1);
  recent.set('b', 2);
  recent.set('a', 3);
  recent.set('c', 4);
  expect(['a', 'b', 'c'].map(recent.get)).toEqual([3, undefined, 4]);
  recent.delete('a');
  recent.set('d', 5);
  expect(['a', 'c', 'd'].map(recent.get)).toEqual([undefined, 4, 5]);
  recent.clear();
  expect(recent.get('c')).toBeUndefined();
});
