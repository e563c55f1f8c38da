import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readUsersSearch, usersHref } from './users-search.ts';

test('the state of the users page survives a round trip through the URL', () => {
  const state = fc.record({
    query: fc.string(),
    oldestFirst: fc.boolean(),
    cursor: fc.option(fc.uuid(), { nil: null }),
  });
  fc.assert(
    fc.property(state, (search) => {
      const url = new URL(usersHref('p1', search), 'http://gatebook.test');
      expect(readUsersSearch(Object.fromEntries(url.searchParams))).toEqual(search);
    }),
  );
});

test('default values are left out of the URL', () => {
  expect(usersHref('p1', { query: '', oldestFirst: false, cursor: null })).toBe('/projects/p1/users');
});
