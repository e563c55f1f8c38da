import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { restoreValue } from './restore-values.ts';

describe('restoring a value', () => {
  test('takes a change back', () => {
    expect(restoreValue({ before: 1, after: 2, current: 2 })).toEqual({ value: 1, conflicts: [] });
    expect(restoreValue({ before: undefined, after: 2, current: 2 })).toEqual({ value: undefined, conflicts: [] });
  });
  test('leaves what was taken back already', () => {
    expect(restoreValue({ before: 1, after: 2, current: 1 })).toEqual({ value: 1, conflicts: [] });
  });
  test('keeps changes of other keys, added and removed ones too', () => {
    const before = { name: 'Ann', plan: 'free', old: 1 };
    const after = { name: 'Bob', plan: 'free', old: 1 };
    const current = { name: 'Bob', plan: 'pro', more: true };
    expect(restoreValue({ before, after, current })).toEqual({
      value: { name: 'Ann', plan: 'pro', more: true },
      conflicts: [],
    });
  });
  test('names each key that changed again', () => {
    const current = { a: { b: 3, c: 3 }, d: 2 };
    const { conflicts } = restoreValue({ before: { a: { b: 1, c: 1 } }, after: { a: { b: 2, c: 2 } }, current });
    expect(conflicts).toEqual([
      { path: ['a', 'b'], restored: 1, current: 3 },
      { path: ['a', 'c'], restored: 1, current: 3 },
    ]);
  });
  test('restores lists as a whole', () => {
    const { conflicts } = restoreValue({ before: [1], after: [1, 2], current: [1, 2, 3] });
    expect(conflicts).toEqual([{ path: [], restored: [1], current: [1, 2, 3] }]);
  });
  test('does not mistake inherited names for values', () => {
    const { value } = restoreValue({ before: {}, after: { constructor: 1 }, current: { constructor: 1, a: 1 } });
    expect(value).toEqual({ a: 1 });
  });

  const tree = fc.dictionary(fc.constantFrom('a', 'b', 'c'), fc.jsonValue({ maxDepth: 2 }));
  test('of any change gives what was before, and restoring again what was after', () => {
    fc.assert(
      fc.property(tree, tree, (before, after) => {
        expect(restoreValue({ before, after, current: after })).toEqual({ value: before, conflicts: [] });
        expect(restoreValue({ before: after, after: before, current: before })).toEqual({
          value: after,
          conflicts: [],
        });
      }),
    );
  });
  test('keeps any change of another key', () => {
    fc.assert(
      fc.property(tree, tree, fc.jsonValue(), (before, after, later) => {
        const { value } = restoreValue({ before, after, current: { ...after, later } });
        expect(value).toEqual({ ...before, later });
      }),
    );
  });
});
