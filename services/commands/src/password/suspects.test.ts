import { expect, test } from 'vitest';
import { createSuspects } from './suspects.ts';

test('a network is a suspect after three more failures than matches, for five minutes', () => {
  let now = 0;
  const suspects = createSuspects(() => now);
  for (const isMatch of [false, false, true, false]) suspects.note('192.0.2.1', isMatch);
  expect(suspects.has('192.0.2.1')).toBe(false);
  suspects.note('192.0.2.1', false);
  expect(suspects.has('192.0.2.1')).toBe(true);
  expect(suspects.has('192.0.2.2')).toBe(false);
  now += 5 * 60_000;
  expect(suspects.has('192.0.2.1')).toBe(false);
});

test('an app server with more correct passwords than wrong ones is no suspect', () => {
  const suspects = createSuspects(() => 0);
  for (let nth = 0; nth < 300; nth += 1) suspects.note('192.0.2.1', nth % 3 !== 0);
  expect(suspects.has('192.0.2.1')).toBe(false);
});

test('at most 10,000 networks are remembered', () => {
  const suspects = createSuspects(() => 0);
  for (let nth = 0; nth < 10_010; nth += 1) for (let guess = 0; guess < 3; guess += 1) suspects.note(`${nth}`, false);
  expect([suspects.has('0'), suspects.has('9'), suspects.has('10'), suspects.has('10009')]).toEqual([
    ...[false, false, true, true],
  ]);
});
