import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseStrictJson } from './strict-json.ts';

test('agrees with JSON.parse on everything that has no key twice', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 6 }), fc.constantFrom(undefined, 2, '\t'), (value, space) => {
      const text = JSON.stringify(value, null, space);
      if (text.includes('__proto__')) return;
      expect(parseStrictJson(text)).toEqual(JSON.parse(text));
    }),
  );
});

test('finds a repeated key wherever it is', () => {
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
])('takes %s', (text) => {
  expect(parseStrictJson(text)).toEqual(JSON.parse(text));
});

test.each(['{"__proto__":1}', '{"\\u005f_proto__":1}', '[{"constructor":{"prototype":{}}}]', '{"a":1,"b":2,"a":3}'])(
  'refuses %s',
  (text) => {
    expect(() => parseStrictJson(text)).toThrow(SyntaxError);
  },
);
