import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readUsersSearch, userFields, userOrders, usersHref } from './users-search.ts';

test('the state of the users page survives a round trip through the URL', () => {
  const place = fc.record({
    query: fc.string(),
    order: fc.constantFrom(...userOrders),
    cursor: fc.option(fc.uuid(), { nil: null }),
  });
  const filters = fc.dictionary(fc.constantFrom(...userFields), fc.string({ minLength: 1 }), { noNullPrototype: true });
  fc.assert(
    fc.property(place, filters, (state, fields) => {
      const search = { ...state, ...fields };
      const url = new URL(usersHref('p1', search), 'http://gatebook.test');
      expect(readUsersSearch(Object.fromEntries(url.searchParams))).toEqual(search);
    }),
  );
});

test('default values are left out of the URL', () => {
  expect(usersHref('p1', { query: '', order: 'newest', cursor: null })).toBe('/projects/p1/users');
});
