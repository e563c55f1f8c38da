import type { AuditActor } from '@gatebook/js/admin';
import { expect, test } from 'vitest';
import { sampleAuditEvent } from '../../testing/samples.ts';
import { appendPage, countNewer, describeActor, groupEvents } from './audit-pages.ts';

const event = (id: string, at: string, actionId = id) => sampleAuditEvent({ id, actionId, at: new Date(at) });

test('events are grouped by day, and those of one request together, the oldest first', () => {
  const days = groupEvents([
    event('4', '2026-03-02T12:00:00', 'b'),
    event('3', '2026-03-02T12:00:00', 'b'),
    event('2', '2026-03-02T09:00:00', 'a'),
    event('1', '2026-03-01T12:00:00', 'a'),
  ]);
  expect(days.map(({ day, actions }) => [day, actions.map(({ events }) => events.map(({ id }) => id))])).toEqual([
    ['Mar 2, 2026', [['3', '4'], ['2']]],
    ['Mar 1, 2026', [['1']]],
  ]);
});

test('a merge names its request, whose last event is a part of it', () => {
  const at = new Date('2026-03-02T12:00:00');
  const typesOf = (...types: string[]) =>
    groupEvents(types.map((type) => sampleAuditEvent({ type, at, actionId: 'merge' }))).flatMap(({ actions }) =>
      actions.map(({ events }) => events.map(({ type }) => type)),
    );
  const merge = [['UserMerged', 'ApiKeyMoved', 'UserDeleted']];
  expect(typesOf('UserDeleted', 'ApiKeyMoved', 'UserMerged')).toEqual(merge);
  expect(typesOf('UserDeleted', 'UserMerged', 'ApiKeyMoved')).toEqual(merge);
});

test('an older page is appended without the events that are shown', () => {
  const [first, second, third] = [event('3', '2026-03-03'), event('2', '2026-03-02'), event('1', '2026-03-01')];
  const shown = { items: [first, second], nextCursor: 'c' };
  const all = appendPage(shown, { items: [second, third], nextCursor: null });
  expect(all).toEqual({ items: [first, second, third], nextCursor: null });
  expect(countNewer({ items: [second], nextCursor: null }, shown.items)).toBe(1);
});

const none: Pick<AuditActor, 'impersonator' | 'isErased'> = { impersonator: null, isErased: false };

test('an impersonator is named together with the user', () => {
  const ann = { ...none, kind: 'user', id: 'u', displayName: 'Ann' };
  const key = { kind: 'server', id: 'k', displayName: 'Help desk' };
  expect(describeActor({ ...ann, impersonator: key }, 'u')).toBe('your server (key Help desk) acting for the user');
  const maya = { kind: 'owner', id: 'o', displayName: 'Maya' };
  expect(describeActor({ ...ann, impersonator: maya })).toBe('Maya (owner) acting for Ann');
});

test('actors are named as precisely as known', () => {
  expect(describeActor({ ...none, kind: 'user', id: 'u', displayName: 'Ann' }, 'u')).toBe('the user');
  expect(describeActor({ ...none, kind: 'owner', id: 'o', displayName: 'Maya' })).toBe('Maya (owner)');
  expect(describeActor({ ...none, kind: 'owner', id: 'o', displayName: null })).toBe('an owner');
  expect(describeActor({ ...none, kind: 'client', id: null, displayName: null }, 'u')).toBe('a signed-out visitor');
  expect(describeActor({ ...none, kind: 'system', id: null, displayName: null })).toBe('Gatebook');
  expect(describeActor({ ...none, kind: 'user', id: 'u', displayName: null, isErased: true })).toBe('a deleted user');
});
