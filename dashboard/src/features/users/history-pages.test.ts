import type { HistoryEntry, HistoryPage } from '@gatebook/js/admin';
import { expect, test } from 'vitest';
import { describeActor, groupByDay, mergeNewestPage } from './history-pages.ts';

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

test('new history entries come before loaded ones without duplicates or gaps', () => {
  const merged = mergeNewestPage(page([5, 4, 3, 2, 1], null), page([7, 6, 5], '5'));
  expect(idsOf(merged)).toEqual([7, 6, 5, 4, 3, 2, 1]);
  expect(merged.nextBefore).toBeNull();
});

test('loaded history entries are dropped when the newest page does not overlap them', () => {
  const merged = mergeNewestPage(page([3, 2, 1], null), page([9, 8, 7], '7'));
  expect(idsOf(merged)).toEqual([9, 8, 7]);
  expect(merged.nextBefore).toBe('7');
});

test('history entries are grouped by day', () => {
  const entries = [entry(3, '2026-03-02T12:00:00'), entry(2, '2026-03-01T13:00:00'), entry(1, '2026-03-01T12:00:00')];
  expect(groupByDay(entries).map(({ day, entries: ofDay }) => [day, ofDay.map(({ id }) => id)])).toEqual([
    ['Mar 2, 2026', ['3']],
    ['Mar 1, 2026', ['2', '1']],
  ]);
});

test('an impersonator is named together with the user', () => {
  const ann = { kind: 'user', id: 'u', displayName: 'Ann' };
  const key = { kind: 'server', id: 'k', displayName: 'Help desk' };
  expect(describeActor({ ...ann, impersonator: key }, 'u')).toBe('your server (key Help desk) acting for the user');
  const maya = { kind: 'owner', id: 'o', displayName: 'Maya' };
  expect(describeActor({ ...ann, impersonator: maya }, 'other')).toBe('Maya (owner) acting for Ann');
});

test('actors are named as precisely as known', () => {
  expect(describeActor({ kind: 'user', id: 'u', displayName: 'Ann', impersonator: null }, 'u')).toBe('the user');
  expect(describeActor({ kind: 'owner', id: 'o', displayName: 'Maya', impersonator: null }, 'u')).toBe('Maya (owner)');
  expect(describeActor({ kind: 'owner', id: 'o', displayName: null, impersonator: null }, 'u')).toBe('an owner');
  expect(describeActor({ kind: 'system', id: null, displayName: null, impersonator: null }, 'u')).toBe('Gatebook');
});
