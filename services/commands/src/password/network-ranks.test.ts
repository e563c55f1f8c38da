import { expect, test } from 'vitest';
import { createNetworkRanks, ranks } from './network-ranks.ts';

test('each failure makes a network wait for more others, and after three more than matches for all of them', () => {
  let now = 0;
  const networks = createNetworkRanks(() => now);
  const noted = (...matches: boolean[]) =>
    matches.map((isMatch) => {
      networks.note('192.0.2.1', isMatch);
      return networks.rankOf('192.0.2.1');
    });
  expect(noted(false, false, true, false)).toEqual([2, 3, 2, 3]);
  expect(noted(false, false)).toEqual([ranks.last, ranks.last]);
  expect(networks.rankOf('192.0.2.2')).toBe(ranks.unknown);
  now += 5 * 60_000;
  expect(networks.rankOf('192.0.2.1')).toBe(ranks.known);
});

test('a match is remembered for a day, unless passwords fail', () => {
  let now = 0;
  const networks = createNetworkRanks(() => now);
  networks.note('192.0.2.1', true);
  expect(networks.rankOf('192.0.2.1')).toBe(ranks.known);
  networks.note('192.0.2.1', false);
  expect(networks.rankOf('192.0.2.1')).toBe(2);
  now += 5 * 60_000;
  expect(networks.rankOf('192.0.2.1')).toBe(ranks.known);
  now = 24 * 60 * 60_000;
  expect(networks.rankOf('192.0.2.1')).toBe(ranks.unknown);
});

test('an app server with more correct passwords than wrong ones does not wait', () => {
  const networks = createNetworkRanks(() => 0);
  for (let nth = 0; nth < 300; nth += 1) networks.note('192.0.2.1', nth % 3 !== 0);
  expect(networks.rankOf('192.0.2.1')).toBe(ranks.known);
});

test('at most 10,000 networks that fail are remembered, and they forget no network that matched', () => {
  const networks = createNetworkRanks(() => 0);
  networks.note('person', true);
  for (let nth = 0; nth < 10_010; nth += 1) for (let guess = 0; guess < 3; guess += 1) networks.note(`${nth}`, false);
  expect(['0', '9', '10', '10009'].map(networks.rankOf)).toEqual([1, 1, ranks.last, ranks.last]);
  expect(networks.rankOf('person')).toBe(ranks.known);
});
