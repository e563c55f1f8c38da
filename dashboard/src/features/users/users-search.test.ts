import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readUsersSearch, type UserField, userOrders, usersHref } from './users-search.ts';

test('the state of the users page survives a round trip through the URL', () => {
  const place = fc.record({
    query: fc.string(),
    order: fc.constantFrom(...userOrders),
    cursor: fc.option(fc.uuid(), { nil: null }),
  });
  const text = fc.string({ minLength: 1 });
  const flag = fc.constantFrom('yes', 'no');
  const period = fc.constantFrom('24h', 'over-1y');
  const ofField: Record<UserField, fc.Arbitrary<string>> = {
    method: text,
    verified: flag,
    restricted: flag,
    anonymous: flag,
    team: text,
    country: fc.constantFrom('SE', 'SE,DE'),
    active: period,
    active_on: fc.constant('2026-11-16_2026-11-22'),
    active_in: fc.constantFrom('SE', 'SE,DE', 'ZZ'),
    signed_up: fc.oneof(period, fc.constant('1793491200000-1793577600000')),
    counted: fc.constantFrom(
      'sign_ins:1793491200000-1793577600000',
      'active_users:1793491200000-1793577600000:device:Chrome on Windows',
    ),
  };
  const filters = fc.record(ofField, { requiredKeys: [] });
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

test('values that filter nothing are not filters', () => {
  const search = {
    active_on: '2026-11-16_x',
    active_in: 'Sweden',
    country: 'se',
    verified: 'true',
    anonymous: '',
    active: '45d',
    signed_up: 'constructor',
    restricted: 'no',
  };
  expect(readUsersSearch(search)).toEqual({ query: '', order: 'newest', cursor: null, restricted: 'no' });
});
