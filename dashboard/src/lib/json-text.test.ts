import { describe, expect, test } from 'vitest';
import { diffJson, jsonBytes, parseJsonText } from './json-text.ts';

describe('JSON text', () => {
  test.each([
    ['{ plan }', 1, 3, 'Enter a name in double quotes or }'],
    ['{"a": 1,\n  "b" 2}', 2, 7, 'Enter a colon after the name'],
    ['{"a": 1,\n}', 2, 1, 'Enter a name in double quotes'],
    ['[1, 2', 1, 6, 'Enter a comma or ]'],
    ['{"a": [1 2]}', 1, 10, 'Enter a comma or ]'],
    ['{"a": 01}', 1, 7, 'Enter a value'],
    ['["x]', 1, 2, 'Enter a value or ]'],
    ['{} {}', 1, 4, 'Nothing can follow the value'],
    ["{'a': 1}", 1, 2, 'Enter a name in double quotes or }'],
    ['[tru]', 1, 2, 'Enter a value or ]'],
    ['[1,]', 1, 4, 'Enter a value'],
    ['[}', 1, 2, 'Enter a value or ]'],
  ])('%j is wrong in line %i, column %i', (text, line, column, message) => {
    expect(parseJsonText(text).fault).toMatchObject({ line, column, message });
  });

  test.each(['', ' ', '1', '{"a":[{}, [], -0.5e+3, "\\u00e9\\n", true, null]}'])('%j is right', (text) => {
    expect(parseJsonText(text)).toEqual({ value: text.trim() === '' ? null : JSON.parse(text), fault: null });
  });

  test('has the size of compact UTF-8', () => {
    expect(jsonBytes(JSON.parse('{ "é": 1 }'))).toBe(8);
  });
});

test('a difference names the path of each value', () => {
  const before = { plan: { name: 'free', seats: 1 }, tags: ['a'], old: true };
  const after = { plan: { name: 'pro', seats: 1 }, tags: ['a', 'b'], since: 2026 };
  expect(diffJson(before, after).map(({ field, before, after }) => [field, before, after])).toEqual([
    ['plan.name', 'free', 'pro'],
    ['tags', ['a'], ['a', 'b']],
    ['old', true, null],
    ['since', null, 2026],
  ]);
  expect(diffJson(null, { a: 1 })).toEqual([{ field: 'value', before: null, after: { a: 1 }, isRedacted: false }]);
});

test('a field that is null differs from no field', () => {
  const rows = (before: object, after: object) =>
    diffJson(before as never, after as never).map(({ field, before, after }) => [field, before, after]);
  expect(rows({ old: null }, { constructor: null })).toEqual([
    ['old', 'null', null],
    ['constructor', null, 'null'],
  ]);
  expect(rows({}, { toString: 1 })).toEqual([['toString', null, 1]]);
});
