// @vitest-environment happy-dom
import type { Analytics, AnalyticsOptions, Metrics, MetricsClient, Project, ProjectKey } from '@gatebook/js/admin';
import { ConnectionError } from '@gatebook/js/errors';
import { fireEvent, screen, within } from '@testing-library/react';
import { describe, expect, test, vi } from 'vitest';
import { pending, renderPage } from '../../testing/render.tsx';
import { sampleProject, sampleUser } from '../../testing/samples.ts';
import { OverviewPage } from './overview-page.tsx';
import { type OverviewSearch, overviewHref, readOverviewSearch } from './overview-search.ts';

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

const dayMs = 24 * 60 * 60_000;
/** Three days, of which the last is not over. */
function counted({ groupBy, compare, measure }: AnalyticsOptions): Analytics {
  const today = Date.now() - (Date.now() % dayMs);
  const people = measure === 'sign_ups' ? { by: 'signedUp' as const } : null;
  const intervals = [-2, -1, 0].map((day) => ({
    start: new Date(today + day * dayMs),
    end: new Date(today + (day + 1) * dayMs),
    people,
  }));
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
    before: compare ? { start, end, total: 8, counts: [3, 3, 2] } : null,
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

function showPage({ metrics = {}, value = sampleProject(), search = {}, keys = [] }: Shown) {
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

const show = (find: () => Promise<Metrics>, value?: Project) =>
  showPage({ metrics: { find }, ...(value && { value }) });

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

test('leads to the next step of the setup until all are done', async () => {
  show(async () => none, sampleProject({ userCount: 0 }));
  const hint = await screen.findByRole('region', { name: 'Setup' });
  expect(hint.textContent).toContain('0 of 6 steps done');
  expect(within(hint).getByRole('link', { name: 'Sign up the first user' }).getAttribute('href')).toBe(
    '/projects/p1/get-started',
  );
  expect(screen.queryByRole('heading', { name: 'Latest sign-ups' })).toBeNull();
});

test('shows no hint once the project is ready for production', async () => {
  const { config } = sampleProject();
  const emailConfig = {
    type: 'standard',
    host: 'smtp.example.com',
    port: 587,
    username: 'a',
    password: 'b',
    senderName: 'Acme',
    senderEmail: 'hi@example.com',
  } as const;
  const domains = [{ domain: 'https://acme.example', handlerPath: '/handler' }];
  const branding = { ...config.branding, accentColor: '#1c7a60' };
  const ready = { ...config, passkeyEnabled: true, domains, emailConfig, branding };
  show(async () => full, sampleProject({ isProductionMode: true, config: ready }));
  await screen.findByText('12,345');
  expect(screen.queryByRole('region', { name: 'Setup' })).toBeNull();
});

test('shows metrics, latest sign-ups and sign-in methods', async () => {
  show(async () => full);
  await screen.findByText('12,345');
  expect(metric('New in the last 7 days')).toContain('5');
  expect(metric('New in the last 7 days')).toContain('3 more than last week');
  expect(metric('New today')).toContain('4');
  expect(metric('Active today')).toContain('7');
  const latest = await screen.findByRole('region', { name: 'Latest sign-ups' });
  const people = within(latest).getAllByRole('link');
  expect(people[1]?.getAttribute('href')).toContain('/projects/p1/users/');
  expect(people[2]?.textContent).toContain('ann@example.com');
  const methods = screen.getByRole('region', { name: 'Sign-in methods' });
  expect(methods.textContent).toContain('GitHub345 · 3%');
});

describe('the card of countries', () => {
  const usersByCountry = [
    { country: 'SE', count: 8_000 },
    { country: 'SG', count: 40 },
    { country: 'RE', count: 5 },
  ];
  const showCountries = async () => {
    show(async () => ({ ...full, usersByCountry }));
    const card = await screen.findByRole('region', { name: 'Users by country' });
    await vi.waitFor(() => expect(card.querySelector('svg [data-country="SE"]')).not.toBeNull());
    return card;
  };
  const peopleIn = (country: string) => `/projects/p1/users?order=active&active_in=${country}`;

  test('lists all countries with links to their users, and how many users are of unknown countries', async () => {
    const card = await showCountries();
    const rows = within(card).getAllByRole('row').slice(1);
    expect(rows.map((row) => [...row.children].map((cell) => cell.textContent))).toEqual([
      ['Sweden', '8,000', '65%'],
      ['Singapore', '40', '<1%'],
      ['Réunion', '5', '<1%'],
      ['Unknown', '4,300', '35%'],
    ]);
    const links = within(card).getAllByRole('link');
    expect(links.map((link) => link.getAttribute('href'))).toEqual(['SE', 'SG', 'RE', 'ZZ'].map(peopleIn));
  });

  test('draws countries with users, small ones as dots, and names those that are not on the map', async () => {
    const card = await showCountries();
    const drawn = [...card.querySelectorAll('[data-country]')];
    expect(drawn.map((shape) => [shape.tagName.toLowerCase(), shape.getAttribute('data-country')])).toEqual([
      ['path', 'SE'],
      ['circle', 'SG'],
    ]);
    expect(card.textContent).toContain('Not on the map: Réunion.');
  });

  test('tells the number of a country that is tapped, and shows the country whose row has the focus', async () => {
    const card = await showCountries();
    const sweden = card.querySelector('[data-country="SE"]') as Element;
    fireEvent.click(sweden);
    expect(card.textContent).toContain('Sweden: 8,000 users · 65% · Show users');
    expect(within(card).getByRole('link', { name: 'Show users' }).getAttribute('href')).toBe(peopleIn('SE'));
    fireEvent.focus(within(card).getByRole('link', { name: 'Singapore' }));
    expect(card.querySelector('circle[data-chosen]')?.getAttribute('data-country')).toBe('SG');
    expect(card.textContent).toContain('Singapore: 40 users');
  });

  test('is drawn only if a country is known', async () => {
    show(async () => full);
    const card = await screen.findByRole('region', { name: 'Users by country' });
    expect(card.textContent).toContain('No country is known yet');
    expect(card.querySelector('svg, table')).toBeNull();
  });
});

const cardOf = (name: string) => screen.findByRole('region', { name });

test('a project without users leads to Get started and has no charts', async () => {
  const { client } = show(async () => none);
  const link = await screen.findByRole('link', { name: 'Get started' });
  expect(link.getAttribute('href')).toBe('/projects/p1/get-started');
  // Only what the first card needs is read before the figures are there.
  expect(client.count).toHaveBeenCalledOnce();
  expect(screen.queryByRole('region', { name: 'Sign-ups' })).toBeNull();
});

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

test('retention shows shares of the weeks in which somebody joined, and a dash where nothing is known', async () => {
  showPage({});
  const table = await within(await cardOf('Retention by week')).findByRole('table');
  const rows = within(table).getAllByRole('row');
  expect(rows.map((row) => [...row.children].map((cell) => cell.textContent))).toEqual([
    ['Joined', 'Users', 'Same week', '+1', '+2'],
    ['Mar 2', '4', '100%', '–', '25%'],
    ['Mar 16', '10', '30%'],
  ]);
});

test('retention shows numbers of users instead of shares, without a mouse', async () => {
  showPage({});
  const card = await cardOf('Retention by week');
  fireEvent.click(await within(card).findByRole('button', { name: 'Show counts' }));
  const cells = within(card)
    .getAllByRole('row')
    .slice(1)
    .map((row) => [...row.children].slice(2));
  expect(cells.map((row) => row.map(({ textContent }) => textContent))).toEqual([['4', '–', '1'], ['3']]);
  expect(card.textContent).toContain('Number of the users of a week');
  fireEvent.click(within(card).getByRole('button', { name: 'Show shares' }));
  expect(card.textContent).toContain('Share of the users of a week');
});

test('the funnel shows each step as a share of the step before', async () => {
  showPage({});
  const card = await cardOf('From sign-up to return');
  const steps = await within(card).findAllByRole('listitem');
  expect(steps.map((step) => step.textContent)).toEqual([
    'Signed up20',
    'Verified their email10 · 50% of the step before',
    'Came back on another day4 · 40% of the step before',
  ]);
});

test.each([
  ['Retention by week', 'retention.csv', 'start,users,week_0,week_1,week_2'],
  ['From sign-up to return', 'funnel-30d.csv', 'step,users'],
])('%s is exported as CSV, and has no image', async (title, name, head) => {
  const blobs: Blob[] = [];
  vi.spyOn(URL, 'createObjectURL').mockImplementation((blob) => `blob:${blobs.push(blob as Blob)}`);
  const names: string[] = [];
  vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(function (this: HTMLAnchorElement) {
    names.push(this.download);
  });
  showPage({});
  fireEvent.click(await screen.findByRole('button', { name: `Export ${title}` }));
  expect((await screen.findAllByRole('menuitem')).map((item) => item.textContent)).toEqual(['CSV']);
  fireEvent.click(screen.getByRole('menuitem', { name: 'CSV' }));
  expect(names).toEqual([name]);
  expect((await blobs[0]?.text())?.split('\r\n')[0]).toContain(head);
  vi.restoreAllMocks();
});

test('warns of project keys that expire within 30 days, the first one by name', async () => {
  const key = (description: string, days: number): ProjectKey => ({
    id: description,
    description,
    createdAt: new Date(),
    expiresAt: new Date(Date.now() + days * 86_400_000),
    manuallyRevokedAt: null,
    lastUsedAt: null,
    lastFour: { publishableClientKey: null, secretServerKey: 'ab12', superSecretAdminKey: null },
  });
  showPage({ keys: [key('Website', 9), key('Backend', 300)] });
  const warning = await screen.findByRole('alert');
  expect(warning.textContent).toContain('“Website” expires');
  expect(within(warning).getByRole('link', { name: 'Rotate it' }).getAttribute('href')).toBe(
    '/projects/p1/settings/keys',
  );
});
