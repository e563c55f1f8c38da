// @vitest-environment happy-dom
import { screen, within } from '@testing-library/react';
import { expect, test } from 'vitest';
import { cardOf, counted, dayMs, full, showPage } from './testing/overview.tsx';

/** What the links of a card or the figures select, by their names. */
const countedOf = (within: Element) =>
  Object.fromEntries(
    [...within.querySelectorAll('a[href*="counted="]')].map((link) => {
      const { searchParams } = new URL(link.getAttribute('href') ?? '', 'http://x');
      return [link.getAttribute('aria-label') ?? link.textContent, searchParams.get('counted')];
    }),
  );

test('every number leads to the people whom it counts, also of a group, and says so', async () => {
  showPage({ search: { by: 'country' } });
  const card = await cardOf('Sign-ins');
  await within(card).findByText(/^Highest/);
  const { intervals, groups } = counted({ measure: 'sign_ins', range: '30d', groupBy: 'country' });
  const [first, last] = [intervals[0]?.start.getTime() ?? 0, intervals.at(-1)?.end.getTime() ?? 0];
  const links = countedOf(card);
  const [country] = groups.map(({ value }) => value);
  expect(Object.values(links)).toContain(`sign_ins:${first}-${last}`);
  expect(Object.values(links)).toContain(`sign_ins:${first}-${first + dayMs}:country:${country}`);
  expect(Object.keys(links).some((name) => /^\d+, Sweden, /.test(name))).toBe(true);
  const figures = within(screen.getByText('New today').closest('dl') as HTMLElement).getAllByRole('link');
  const day = full.dailyUsers.at(-1)?.date ?? '';
  const midnight = Date.parse(day);
  expect(figures.map((link) => link.getAttribute('href'))).toEqual([
    '/projects/p1/users',
    `/projects/p1/users?signed_up=${midnight - 6 * dayMs}-${midnight + dayMs}`,
    `/projects/p1/users?signed_up=${midnight}-${midnight + dayMs}`,
    `/projects/p1/users?order=active&active_on=${day}_${day}`,
  ]);
  expect(figures[0]?.getAttribute('aria-label')).toBe('12,345, Users: show users');
  expect(Object.values(countedOf(await cardOf('From sign-up to return'))).map((text) => text?.split(':')[0])).toEqual([
    'joined',
    'verified',
    'returned',
  ]);
  const methods = within(await cardOf('Sign-in methods')).getAllByRole('link');
  expect(methods[0]?.getAttribute('href')).toMatch(/^\/projects\/p1\/users\?method=/);
});

test('a week of retention leads to its people while it is known who was active', async () => {
  const now = Date.now();
  const monday = new Date(now - ((now - 4 * dayMs) % (7 * dayMs)));
  const start = new Date(monday.getTime() - 7 * dayMs);
  const old = new Date(monday.getTime() - 70 * dayMs);
  showPage({
    metrics: {
      findRetention: async () => [
        { start: old, users: 4, active: [4, 2] },
        { start, users: 4, active: [4, 1] },
      ],
    },
  });
  const card = await cardOf('Retention by week');
  await within(card).findByRole('table');
  const day = start.toISOString().slice(0, 10);
  expect(Object.values(countedOf(card))).toEqual([
    `joined:${old.getTime()}-${old.getTime() + 7 * dayMs}`,
    `joined:${start.getTime()}-${monday.getTime()}`,
    `active_users:${start.getTime()}-${monday.getTime()}:cohort:${day}`,
    `active_users:${monday.getTime()}-${monday.getTime() + 7 * dayMs}:cohort:${day}`,
  ]);
});
