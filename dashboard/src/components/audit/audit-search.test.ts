import { expect, test } from 'vitest';
import {
  type AuditSearch,
  auditHref,
  changeOf,
  filtersOf,
  readAuditSearch,
  searchFor,
  withoutFilters,
} from './audit-search.ts';

const id = '11111111-1111-4111-8111-111111111111';

test('the URL keeps all filters and leaves out defaults', () => {
  const search: AuditSearch = {
    tab: 'administration',
    target: `user:${id}`,
    from: '5',
    technical: '1',
    event: 'e',
    not_ip: 'a,b',
    zone: 'utc',
  };
  const href = auditHref('p1', search);
  expect(readAuditSearch(Object.fromEntries(new URL(href, 'https://x').searchParams))).toEqual(search);
  expect(auditHref('p1', { tab: 'all', ip: undefined })).toBe('/projects/p1/audit-log');
});

test('filters become the query of the API', () => {
  const search: AuditSearch = { tab: 'activity', target: `team:${id}`, from: '1', until: 'x', outcome: 'rejected' };
  expect(filtersOf(search, 0)).toMatchObject({
    actorKind: 'user,client',
    targetType: 'team',
    targetId: id,
    fromMillis: 1,
    untilMillis: undefined,
    outcome: 'rejected',
    includeTechnical: undefined,
  });
});

test.each([
  ['-7d', 1_800_000_000_000 - 7 * 86_400_000],
  ['-24h', 1_800_000_000_000 - 86_400_000],
  ['5', 5],
  ['-5', undefined],
  ['-7w', undefined],
])('the time %s is before now, or fixed', (from, fromMillis) => {
  expect(filtersOf({ tab: 'all', from }, 1_800_000_000_000)).toMatchObject({ fromMillis });
});

test.each([
  ['203.0.113.9', { ip: '203.0.113.9' }],
  ['2001:db8::/48', { ip: '2001:db8::/48' }],
  [id, { target: id }],
  ['k3v9x2m4q7w1z5t8', { action: 'k3v9x2m4q7w1z5t8' }],
])('the search field recognizes %s', (text, filter) => {
  expect(searchFor(text)).toEqual(filter);
});

test('a value is either selected or left out', () => {
  const search: AuditSearch = { tab: 'all', actor: 'a', not_actor: 'b' };
  expect({ ...search, ...changeOf(search, { actor: 'b' }) }).toEqual({ tab: 'all', actor: 'b', not_actor: undefined });
  expect({ ...search, ...changeOf(search, { actor: 'a' }, true) }).toEqual({
    ...{ tab: 'all', actor: undefined, not_actor: 'b,a' },
  });
  expect(withoutFilters(search, [{ field: 'actor' }, { field: 'not_actor', value: 'b' }])).toEqual({
    ...{ actor: undefined, not_actor: undefined },
  });
  expect(filtersOf({ tab: 'all', not_target: `user:x,permission:a:b,${id}`, not_kind: 'system' }, 0)).toMatchObject({
    ...{ excludeTargetId: `x,a:b,${id}`, excludeActorKind: 'system' },
  });
});
