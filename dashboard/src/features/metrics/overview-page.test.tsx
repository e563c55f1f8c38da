// @vitest-environment happy-dom
import { defaultProjectConfig } from '@gatebook/domain/project/config';
import type { Metrics, ProjectClient } from '@gatebook/js/admin';
import { ConnectionError } from '@gatebook/js/errors';
import { fireEvent, screen, within } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { never, pending, renderPage } from '../../testing/render.tsx';
import { sampleProject, sampleUser } from '../../testing/samples.ts';
import { features } from './first-steps.tsx';
import { OverviewPage } from './overview-page.tsx';

const project = { value: sampleProject(), error: undefined, isFetching: false, refresh: async () => {} };

function days(...last: number[]): { date: string; count: number }[] {
  return Array.from({ length: 31 }, (_, day) => ({
    date: new Date(Date.UTC(2026, 2, 1 + day)).toISOString().slice(0, 10),
    count: last[day - 31 + last.length] ?? 0,
  }));
}

const full: Metrics = {
  totalUsers: 12_345,
  dailyUsers: days(2, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 4),
  dailyActiveUsers: days(7),
  usersByCountry: [],
  recentlyRegistered: [sampleUser(), sampleUser({ id: 'u2', displayName: null })],
  recentlyActive: [],
  loginMethods: [
    { method: 'password', count: 12_000 },
    { method: 'github', count: 345 },
  ],
};
const none: Metrics = {
  ...full,
  totalUsers: 0,
  dailyUsers: days(),
  dailyActiveUsers: days(),
  recentlyRegistered: [],
  loginMethods: [],
};

function show(find: () => Promise<Metrics>, update: ProjectClient['update'] = never): void {
  renderPage(
    <OverviewPage
      metrics={{ find }}
      client={{ update }}
      project={project}
      projectId="p1"
      apiUrl="http://gatebook.test"
    />,
  );
}

function metric(label: string): string {
  return screen.getByText(label).parentElement?.textContent ?? '';
}

test('shows a loading state', () => {
  show(() => pending<Metrics>());
  expect(screen.getByRole('status', { name: 'Loading metrics' })).toBeTruthy();
  expect(document.title).toBe('Overview · Acme Shop · Gatebook');
});

test('metrics can be reloaded after a connection error', async () => {
  const find = vi
    .fn()
    .mockRejectedValueOnce(new ConnectionError(false, {}, null))
    .mockResolvedValue(full);
  show(find);
  expect((await screen.findByRole('alert')).textContent).toContain('cannot be reached');
  fireEvent.click(screen.getByRole('button', { name: 'Try again' }));
  expect(await screen.findByText('12,345')).toBeTruthy();
});

test('an empty project shows setup steps with a link to create a key', async () => {
  show(async () => none);
  const link = await screen.findByRole('link', { name: 'Create key' });
  expect(link.getAttribute('href')).toBe('/projects/p1/settings/keys?new=1');
  expect(screen.getByText(/NEXT_PUBLIC_STACK_PROJECT_ID=p1/)).toBeTruthy();
  expect(screen.queryByRole('heading', { name: 'Latest sign-ups' })).toBeNull();
});

test('setup steps offer the features that are off in a new project', async () => {
  const offAtFirst = Object.entries(defaultProjectConfig).flatMap(([name, value]) => (value === false ? [name] : []));
  expect(features.map(({ name }) => name).sort()).toEqual(offAtFirst.sort());
  const update = vi.fn(async () => sampleProject());
  show(async () => none, update);
  expect(await screen.findAllByRole('switch')).toHaveLength(features.length);
  fireEvent.click(screen.getByRole('switch', { name: /^Email code/ }));
  fireEvent.click(await screen.findByRole('button', { name: 'Save' }));
  await vi.waitFor(() => expect(update).toHaveBeenCalledExactlyOnceWith({ config: { magicLinkEnabled: true } }));
  expect(screen.getByRole('link', { name: 'settings' }).getAttribute('href')).toBe('/projects/p1/settings/providers');
});

test('shows metrics, latest sign-ups and sign-in methods', async () => {
  show(async () => full);
  await screen.findByText('12,345');
  expect(metric('New in the last 7 days')).toContain('5');
  expect(metric('New in the last 7 days')).toContain('3 more than last week');
  expect(metric('New today')).toContain('4');
  expect(metric('Active today')).toContain('7');
  const latest = screen.getByRole('region', { name: 'Latest sign-ups' });
  const people = within(latest).getAllByRole('link');
  expect(people[1]?.getAttribute('href')).toContain('/projects/p1/users/');
  expect(people[2]?.textContent).toContain('ann@example.com');
  const methods = screen.getByRole('region', { name: 'Sign-in methods' });
  expect(methods.textContent).toContain('GitHub345 · 3%');
});

test('a chart has a text summary and a table for screen readers', async () => {
  show(async () => full);
  const chart = await screen.findByRole('region', { name: 'Sign-ups per day' });
  expect(await within(chart).findByText(/7 sign-ups in the last 31 days. Daily maximum: 4/)).toBeTruthy();
  expect(within(chart).getAllByRole('row')).toHaveLength(31);
});
