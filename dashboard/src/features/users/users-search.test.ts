import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readUsersSearch, usersHref } from './users-search.ts';

test('any state comes back whole from its address', () => {
  const state = fc.record({
    query: fc.string(),
    oldestFirst: fc.boolean(),
    cursor: fc.option(fc.uuid(), { nil: null }),
  });
  fc.assert(
    fc.property(state, (search) => {
      const url = new URL(usersHref('p1', search), 'http://gate.test');
      expect(readUsersSearch(Object.fromEntries(url.searchParams))).toEqual(search);
    }),
  );
});

test('what is at its default stays out of the address', () => {
  expect(usersHref('p1', { query: '', oldestFirst: false, cursor: null })).toBe('/projects/p1/users');
});
