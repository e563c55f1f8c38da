import type { Analytics, AnalyticsOptions, Metrics, MetricsClient, Project, ProjectKey } from '@gatebook/js/admin';
import { screen } from '@testing-library/react';
import { vi } from 'vitest';
import { pending, renderPage } from '../../../testing/render.tsx';
import { sampleProject, sampleUser } from '../../../testing/samples.ts';
import { OverviewPage } from '../overview-page.tsx';
import { type OverviewSearch, readOverviewSearch } from '../overview-search.ts';

function days(...last: number[]): { date: string; count: number }[] {
  return Array.from({ length: 31 }, (_, day) => ({
    date: new Date(Date.UTC(2026, 2, 1 + day)).toISOString().slice(0, 10),
    count: last[day - 31 + last.length] ?? 0,
  }));
}

export const full: Metrics = {
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
export const none: Metrics = {
  ...full,
  totalUsers: 0,
  dailyUsers: days(),
  dailyActiveUsers: days(),
  recentlyRegistered: [],
  loginMethods: [],
};

export const dayMs = 24 * 60 * 60_000;
/** Three days, of which the last is not over. */
export function counted({ groupBy, compare, measure }: AnalyticsOptions): Analytics {
  const today = Date.now() - (Date.now() % dayMs);
  const people = measure === 'sign_ups' ? { by: 'signedUp' as const } : null;
  const toInterval = (day: number) => ({
    start: new Date(today + day * dayMs),
    end: new Date(today + (day + 1) * dayMs),
    people,
  });
  const intervals = [-2, -1, 0].map(toInterval);
  const [start, end] = [new Date(today - 5 * dayMs), new Date(today - 2 * dayMs)];
  const groups = [
    { value: 'SE', counts: [5, 4, 0] },
    { value: null, counts: [2, 0, 1] },
  ];
  return {
    unit: 'day',
    intervals,
    total: 12,
    counts: [7, 4, 1],
    groups: groupBy ? groups : [],
    before: compare ? { start, end, intervals: [-5, -4, -3].map(toInterval), total: 8, counts: [3, 3, 2] } : null,
    countedSince: null,
  };
}

const metricsClient = (changes: Partial<MetricsClient> = {}): MetricsClient => ({
  find: async () => full,
  count: vi.fn(async (options) => counted(options)),
  findRetention: async () => [
    { start: new Date('2026-03-02'), users: 4, active: [4, null, 1] },
    { start: new Date('2026-03-09'), users: 0, active: [0, 0] },
    { start: new Date('2026-03-16'), users: 10, active: [3] },
  ],
  findFunnel: async () => ({ start: new Date(), signedUp: 20, verified: 10, returned: 4, isComplete: true }),
  ...changes,
});

const never = () => pending<never>();
const customMetrics = { create: never, update: never, delete: never, findValues: never };

type Shown = {
  keys?: readonly ProjectKey[];
  metrics?: Partial<MetricsClient>;
  value?: Project;
  search?: Partial<OverviewSearch>;
};

export function showPage({ metrics = {}, value = sampleProject(), search = {}, keys = [] }: Shown) {
  const client = metricsClient(metrics);
  const project = { value, error: undefined, isFetching: false, refresh: async () => {} };
  const { visited } = renderPage(
    <OverviewPage
      metrics={client}
      customMetrics={{ ...customMetrics, list: async () => ({ items: [], fields: [] }) }}
      events={{ listEvents: () => pending(), followEvents: async function* () {}, listEventTypes: () => pending() }}
      keys={{ list: async () => keys }}
      project={project}
      projectId="p1"
      search={{ ...readOverviewSearch({}), ...search }}
    />,
  );
  return { client, visited };
}

export const show = (find: () => Promise<Metrics>, value?: Project) =>
  showPage({ metrics: { find }, ...(value && { value }) });

export const cardOf = (name: string) => screen.findByRole('region', { name });
