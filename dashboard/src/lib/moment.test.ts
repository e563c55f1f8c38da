import { expect, test } from 'vitest';
import { hasMoment, hrefAt, projectOf, subjectOf, timeOf } from './moment.ts';

test('a link keeps its query at a moment, and loses only the moment', () => {
  expect(hrefAt('/projects/p/users?query=a', '5')).toBe('/projects/p/users?query=a&as_of=5');
  expect(hrefAt('/projects/p/users?query=a&as_of=5', null)).toBe('/projects/p/users?query=a');
  expect(['/projects/p?as_of=5', '/projects/p?query=as_of'].map(hasMoment)).toEqual([true, false]);
});

test.each([
  ['/projects/p/users/u1', true, { type: 'user', id: 'u1' }],
  ['/projects/p/teams/t1', true, { type: 'team', id: 't1' }],
  ['/projects/p/settings/security', true, { type: 'project', id: 'p' }],
  ['/projects/p/settings/keys', true, null],
  ['/projects/p/users', true, null],
  ['/projects/p/emails/magic_link', true, { type: 'email_template', id: 'magic_link' }],
  ['/projects/p/emails/magic_link?language=de-DE', true, { type: 'email_template', id: 'magic_link.de-DE' }],
  ['/projects/p/emails', false, null],
  ['/projects/p', false, null],
  ['/projects/p/audit-log', false, null],
  ['/operations', false, null],
])('%s is known with its past', (path, hasPast, target) => {
  expect(subjectOf(path)).toEqual({ hasPast, target });
});

test('links within a project are told from others', () => {
  expect(projectOf('/projects/p/users?query=a')).toBe('p');
  expect(projectOf('/projects')).toBeNull();
});

test('a moment is a time or an event', () => {
  expect(timeOf('5')).toEqual(new Date(5));
  expect(timeOf('11111111-1111-4111-8111-111111111111')).toBeNull();
});
