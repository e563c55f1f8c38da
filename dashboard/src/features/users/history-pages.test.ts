import type { HistoryEntry, HistoryPage } from '@gatebook/js/history';
import { expect, test } from 'vitest';
import { actorText, byDay, withNewestPage } from './history-pages.ts';

const actor = { kind: 'owner', id: 'o', displayName: null, impersonator: null };
const entry = (id: number, at = '2026-03-01T10:00:00Z'): HistoryEntry => ({
  id: String(id),
  type: 'UserRenamed',
  text: '',
  at: new Date(at),
  actor,
});
const page = (ids: number[], nextBefore: string | null): HistoryPage => ({
  items: ids.map((id) => entry(id)),
  nextBefore,
});
const idsOf = (found: HistoryPage) => found.items.map(({ id }) => Number(id));

test('a new event comes before what was loaded, and nothing is told twice or left out', () => {
  const merged = withNewestPage(page([5, 4, 3, 2, 1], null), page([7, 6, 5], '5'));
  expect(idsOf(merged)).toEqual([7, 6, 5, 4, 3, 2, 1]);
  expect(merged.nextBefore).toBeNull();
});

test('when too much has happened to close the gap, older events are loaded anew', () => {
  const merged = withNewestPage(page([3, 2, 1], null), page([9, 8, 7], '7'));
  expect(idsOf(merged)).toEqual([9, 8, 7]);
  expect(merged.nextBefore).toBe('7');
});

test('entries stand under their day', () => {
  const entries = [entry(3, '2026-03-02T12:00:00'), entry(2, '2026-03-01T13:00:00'), entry(1, '2026-03-01T12:00:00')];
  expect(byDay(entries).map(({ day, entries: own }) => [day, own.map(({ id }) => id)])).toEqual([
    ['Mar 2, 2026', ['3']],
    ['Mar 1, 2026', ['2', '1']],
  ]);
});

test('somebody who acts for a user is named with them', () => {
  const ann = { kind: 'user', id: 'u', displayName: 'Ann' };
  const key = { kind: 'server', id: 'k', displayName: 'Help desk' };
  expect(actorText({ ...ann, impersonator: key }, 'u')).toBe('your server (key Help desk) acting for the user');
  const maya = { kind: 'owner', id: 'o', displayName: 'Maya' };
  expect(actorText({ ...ann, impersonator: maya }, 'other')).toBe('Maya (owner) acting for Ann');
});

test('actors are named as far as they are known', () => {
  expect(actorText({ kind: 'user', id: 'u', displayName: 'Ann', impersonator: null }, 'u')).toBe('the user');
  expect(actorText({ kind: 'owner', id: 'o', displayName: 'Maya', impersonator: null }, 'u')).toBe('Maya (owner)');
  expect(actorText({ kind: 'owner', id: 'o', displayName: null, impersonator: null }, 'u')).toBe('an owner');
  expect(actorText({ kind: 'system', id: null, displayName: null, impersonator: null }, 'u')).toBe('Gatebook');
});
