import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseStrictJson } from './strict-json.ts';

test('agrees with JSON.parse on all JSON without duplicate keys', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 6 }), fc.constantFrom(undefined, 2, '\t'), (value, space) => {
      const text = JSON.stringify(value, null, space);
      if (text.includes('__proto__')) return;
      expect(parseStrictJson(text)).toEqual(JSON.parse(text));
    }),
  );
});

test('finds a duplicate key at any depth', () => {
  fc.assert(
    fc.property(fc.string(), fc.jsonValue({ maxDepth: 3 }), fc.jsonValue({ maxDepth: 3 }), (key, one, other) => {
      const twice = `{${JSON.stringify(key)}:${JSON.stringify(one)},${JSON.stringify(key)}:${JSON.stringify(other)}}`;
      expect(() => parseStrictJson(`[1,{"outer":${twice}}]`)).toThrow(SyntaxError);
    }),
  );
});

test.each([
  '{"a":1,"b":{"a":1}}',
  '[{"a":1},{"a":2}]',
  '{"a":"a\\"","b":"\\\\","c":"{\\"a\\":1,\\"a\\":2}"}',
  '{"prototype":1,"constructor":"x"}',
  '{"a":{"constructor":1},"b":{"prototype":2}}',
])('accepts %s', (text) => {
  expect(parseStrictJson(text)).toEqual(JSON.parse(text));
});

test.each(['{"__proto__":1}', '{"\\u005f_proto__":1}', '[{"constructor":{"prototype":{}}}]', '{"a":1,"b":2,"a":3}'])(
  'rejects %s',
  (text) => {
    expect(() => parseStrictJson(text)).toThrow(SyntaxError);
  },
);

describe('numbers that a double cannot represent', () => {
  test.each([
    '1e400',
    '-1e400',
    '[1,1e309]',
    '{"a":{"b":[1E+999]}}',
    `1${'0'.repeat(400)}`,
    '9007199254740993',
    '-9007199254740993',
    '{"a":12345678901234567890}',
    '1e-400',
    '0.00001e-400',
  ])('%s is rejected', (text) => {
    expect(() => parseStrictJson(text)).toThrow('out of range');
  });

  test.each([
    '9007199254740991',
    '-9007199254740991',
    '-0',
    '0e999',
    '0.0e-999',
    '1e308',
    '-1.5E-300',
    '[0,-1,2.5e3]',
    '1e20',
    '100000000000000000000',
  ])('%s is accepted', (text) => {
    expect(parseStrictJson(text)).toEqual(JSON.parse(text));
  });

  test('digits in strings and keys are not numbers', () => {
    const text = '{"1e400":"1e400","a":"9007199254740993"}';
    expect(parseStrictJson(text)).toEqual(JSON.parse(text));
  });
});
