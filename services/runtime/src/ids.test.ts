import { expect, test } from 'vitest';
import { derivedId, newEventId, newId, projectKeyText, randomBase32, randomCode } from './ids.ts';

test('codes have 45 characters of lower-case Crockford base32', () => {
  expect(randomCode()).toMatch(/^[0-9a-hjkmnp-tv-z]{45}$/);
});

test('codes use every character of the alphabet', () => {
  expect(new Set(randomBase32(5000)).size).toBe(32);
});

test('project keys carry their kind as a prefix', () => {
  expect(projectKeyText('ssk')).toMatch(/^ssk_[0-9a-hjkmnp-tv-z]{45}$/);
});

test('IDs are UUID version 4, event IDs are version 7 with the current time', () => {
  expect(newId()).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  const before = Date.now();
  const id = newEventId();
  expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  const time = Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16);
  expect(time).toBeGreaterThanOrEqual(before);
  expect(time).toBeLessThanOrEqual(Date.now());
});

test('a derived ID is UUID version 5, as in RFC 9562, appendix A.4', () => {
  expect(derivedId('6ba7b810-9dad-11d1-80b4-00c04fd430c8', 'www.example.com')).toBe(
    '2ed6657d-e927-568b-95e1-2665a8aea6a2',
  );
});
