// @vitest-environment happy-dom
import type { MetricsClient } from '@gatebook/js/admin';
import { ConnectionError } from '@gatebook/js/errors';
import { fireEvent, screen, within } from '@testing-library/react';
import { expect, test } from 'vitest';
import { type OverviewSearch, overviewHref, readOverviewSearch } from './overview-search.ts';
import { cardOf, counted, dayMs, showPage } from './testing/overview.tsx';

test('a chart has a summary, and a table whose times lead to the people', async () => {
  showPage({});
  const card = await cardOf('Sign-ups');
  expect(await within(card).findByText(/Highest: 7 sign-ups/)).toBeTruthy();
  const rows = within(card).getAllByRole('row', { hidden: true });
  expect(rows).toHaveLength(4);
  expect(rows[1]?.textContent).toMatch(/\(so far\)1$/);
  const links = within(card).getAllByRole('link', { hidden: true });
  const from = counted({ measure: 'sign_ups', range: '30d' }).intervals[0]?.start.getTime() ?? 0;
  const people = `/projects/p1/users?anonymous=no&signed_up=${from}-${from + dayMs}`;
  expect(links.map((link) => link.getAttribute('href'))).toContain(people);
});

test('the period before leads to its people as well', async () => {
  showPage({ search: { isCompared: true } });
  const card = await cardOf('Sign-ups');
  await within(card).findByText(/Highest: 7 sign-ups/);
  const from = counted({ measure: 'sign_ups', range: '30d', compare: true }).before?.start.getTime() ?? 0;
  const links = within(card).getAllByRole('link', { name: /^3, /, hidden: true });
  expect(links.map((link) => link.getAttribute('href'))).toContain(
    `/projects/p1/users?anonymous=no&signed_up=${from}-${from + dayMs}`,
  );
});

test('a range without anything is said in words instead of an empty chart', async () => {
  const count: MetricsClient['count'] = async (options) => ({ ...counted(options), total: 0, counts: [0, 0, 0] });
  showPage({ metrics: { count } });
  const card = await cardOf('Sign-ins');
  expect(await within(card).findByText('No sign-ins in the last 30 days.')).toBeTruthy();
  expect(card.querySelector('figure')).toBeNull();
});

test('range, interval, grouping and comparison are asked for and kept in the URL', async () => {
  const { client, visited } = showPage({ search: { range: '90d', unit: 'week', by: 'country', isCompared: true } });
  const card = await cardOf('Active users');
  expect(await within(card).findByText(/50% more than in the 90 days before/)).toBeTruthy();
  expect(within(card).getByRole('columnheader', { name: 'Sweden', hidden: true })).toBeTruthy();
  const asked = { measure: 'active_users', range: '90d', unit: 'week', groupBy: 'country', compare: true };
  expect(client.count).toHaveBeenCalledWith(asked);
  const range = screen.getByRole('navigation', { name: 'Range' });
  expect(within(range).getByRole('link', { current: true }).textContent).toBe('90 days');
  fireEvent.click(within(range).getByRole('link', { name: '7 days' }));
  fireEvent.change(screen.getByRole('combobox', { name: 'Interval' }), { target: { value: 'month' } });
  fireEvent.change(screen.getByRole('combobox', { name: 'Group by' }), { target: { value: '' } });
  fireEvent.click(screen.getByRole('switch', { name: 'Compare with the period before' }));
  expect(visited).toEqual([
    '/projects/p1?range=7d&by=country&compare=yes',
    '/projects/p1?range=90d&unit=month&by=country&compare=yes',
    '/projects/p1?range=90d&unit=week&compare=yes',
    '/projects/p1?range=90d&unit=week&by=country',
  ]);
});

test('the URL gives the state that it was made of, and unknown values the usual state', () => {
  const state: OverviewSearch = { range: '1y', unit: 'week', by: 'kind', isCompared: true };
  const search = new URL(overviewHref('p1', state), 'http://x').searchParams;
  expect(readOverviewSearch(Object.fromEntries(search))).toEqual(state);
  const usual = { range: '30d', unit: 'day', by: null, isCompared: false };
  expect(readOverviewSearch({ range: 'x', unit: 'hour', by: 'cohort', compare: '1' })).toEqual(usual);
});

test('one measure that fails leaves the others', async () => {
  const count: MetricsClient['count'] = async (options) => {
    if (options.measure === 'sign_ins') throw new ConnectionError(false, {}, null);
    return counted(options);
  };
  showPage({ metrics: { count } });
  const card = await cardOf('Sign-ins');
  expect((await within(card).findByRole('alert')).textContent).toContain('Sign-ins could not be loaded');
  expect(await within(await cardOf('Sign-ups')).findByText(/Highest/)).toBeTruthy();
});
