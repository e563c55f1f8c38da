import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createLookupHash } from './lookup-hash.ts';

const hash = createLookupHash(Buffer.alloc(32, 1));

test('the same value has the same hash in every process', () => {
  expect(hash('email', 'internal', 'ann@example.com')).toBe(
    createLookupHash(Buffer.alloc(32, 1))('email', 'internal', 'ann@example.com'),
  );
});

test('the hash of a value never changes between releases', () => {
  expect(hash('email', 'internal', 'ann@example.com')).toMatchInlineSnapshot(
    `"fi3FUzzlAVhNd6gGo4Ogofrzv0rRTbawx1u9_bLKB1s"`,
  );
});

test('a different kind, project, value or key gives another hash, wherever the parts are split', () => {
  const part = fc.string({ maxLength: 8, unit: 'grapheme' });
  fc.assert(
    fc.property(fc.tuple(part, part, part), fc.tuple(part, part, part), (one, other) => {
      expect(hash(...one)).toMatch(/^[\w-]{43}$/);
      expect(hash(...one) === hash(...other)).toBe(JSON.stringify(one) === JSON.stringify(other));
    }),
  );
  expect(hash('a', 'bc', 'd')).not.toBe(hash('ab', 'c', 'd'));
  expect(createLookupHash(Buffer.alloc(32, 2))('a', 'b', 'c')).not.toBe(hash('a', 'b', 'c'));
});
