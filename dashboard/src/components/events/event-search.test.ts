import { expect, test } from 'vitest';
import { type EventSearch, eventsHref, filtersOf, readEventSearch, readSpan, writeSpan } from './event-search.ts';

test('the URL keeps all filters and leaves out defaults', () => {
  const search: EventSearch = {
    ...{ tab: 'types', types: 'user.*,team.created', user: 'u', team: 't', event: 'evt_1', time: '1-2' },
  };
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

test('a span of time is read as it was written, and anything else is none', () => {
  expect(readSpan(writeSpan({ from: new Date(5), until: new Date(9) }))).toEqual({ from: 5, until: 9 });
  for (const text of [undefined, '', '9-5', '5-5', '-5', 'x-y']) expect(readSpan(text)).toBeNull();
});
