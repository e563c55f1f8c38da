import { expect, test } from 'vitest';
import { type EventSearch, eventsHref, filtersOf, readEventSearch } from './event-search.ts';

test('the URL keeps all filters and leaves out defaults', () => {
  const search: EventSearch = { tab: 'types', types: 'user.*,team.created', user: 'u', team: 't', event: 'evt_1' };
  const href = eventsHref('p1', search);
  expect(readEventSearch(Object.fromEntries(new URL(href, 'https://x').searchParams))).toEqual(search);
  expect(eventsHref('p1', { tab: 'feed', user: undefined })).toBe('/projects/p1/events');
});

test('filters become the query of the API', () => {
  expect(filtersOf({ types: 'user.*,team.created', user: 'u' })).toEqual({
    types: ['user.*', 'team.created'],
    userId: 'u',
    teamId: undefined,
  });
  expect(filtersOf({}).types).toBeUndefined();
});
