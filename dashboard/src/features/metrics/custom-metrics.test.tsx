// @vitest-environment happy-dom
import type { CustomMetric, CustomMetricsClient, CustomMetricValues } from '@gatebook/js/admin';
import { cleanup, fireEvent, screen, within } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { RoleContext } from '../../lib/role.ts';
import { withPreviews } from '../../testing/previews.tsx';
import { never, pending, renderPage } from '../../testing/render.tsx';
import CustomMetricsSection from './custom-metrics-section.tsx';

const types = ['user.created', 'user.signed_in', 'team.created'].map((type) => ({
  ...{ type, description: '', tags: ['Users'], schema: {}, example: {} },
}));
const fields = [
  { field: 'method' as const, eventTypes: ['user.signed_in', 'session.created'] },
  { field: 'is_impersonation' as const, eventTypes: ['user.signed_in'] },
  { field: 'team_id' as const, eventTypes: ['team.created'] },
];
const metric: CustomMetric = {
  ...{ id: 'm1', displayName: 'Passkeys', eventTypes: ['user.signed_in'], filter: { method: 'passkey' } },
  ...{ groupBy: 'provider_id', unit: 'day', count: 'events', isComplete: true, progress: 1 },
  ...{ createdAt: new Date(1), updatedAt: new Date(2) },
};
const dayMs = 86_400_000;
const today = Math.floor(Date.now() / dayMs) * dayMs;
const values: CustomMetricValues = {
  unit: 'day',
  intervals: [-1, 0].map((day) => ({ start: new Date(today + day * dayMs), end: new Date(today + (day + 1) * dayMs) })),
  ...{ total: 1_207, counts: [1_200, 7], isComplete: true, progress: 1 },
  groups: [
    { value: 'github', counts: [1_000, 7] },
    { value: null, counts: [200, 0] },
  ],
};

function show(given: Partial<CustomMetricsClient> = {}, role: 'owner' | 'read_only' = 'owner') {
  const client: CustomMetricsClient = {
    list: async () => ({ items: [metric], fields }),
    findValues: async () => values,
    ...{ create: never, update: never, delete: never, ...given },
  };
  const { page, previewed } = withPreviews(
    <RoleContext value={role}>
      <CustomMetricsSection client={client} events={{ listEventTypes: async () => types }} projectId="p1" />
    </RoleContext>,
  );
  renderPage(page);
  return previewed;
}
const noMetrics = async () => ({ items: [], fields });
const dialog = async (name: string) => within(await screen.findByRole('dialog', { name }));
const type = (field: HTMLElement, value: string) => fireEvent.change(field, { target: { value } });
async function choose(name: string, option: string): Promise<void> {
  fireEvent.click(await screen.findByRole('combobox', { name }));
  fireEvent.click(await screen.findByRole('option', { name: option, hidden: true }));
}

test('shows a loading state, and a failed load can be retried', async () => {
  show({ list: () => pending() });
  expect(screen.getByRole('status', { name: 'Loading custom metrics' })).toBeTruthy();
  const list = vi.fn().mockRejectedValueOnce(new Error('broken')).mockImplementation(noMetrics);
  show({ list });
  await screen.findByText('broken');
  fireEvent.click(screen.getByRole('button', { name: 'Try again' }));
  expect(await screen.findByText(/Count any event over time/)).toBeTruthy();
});

test('a metric says what it counts, and has its numbers as text and as a table', async () => {
  show();
  const card = within(await screen.findByRole('region', { name: 'Passkeys' }));
  expect(card.getByText('Events of user.signed_in per day, where Sign-in method is Passkey, by Provider')).toBeTruthy();
  expect(await card.findByText(/Total: 1,207\. Highest: 1,200/)).toBeTruthy();
  const rows = card.getAllByRole('row', { hidden: true }).map(({ textContent }) => textContent);
  expect(rows[0]).toBe('TimePasskeysGitHubOthers and unknown');
  expect(rows[1]).toMatch(/\(so far\)770$/);
  expect(card.queryByRole('progressbar', { hidden: true })).toBeNull();
});

const linksOf = async (given: Partial<CustomMetric>): Promise<(string | null)[]> => {
  show({ list: async () => ({ items: [{ ...metric, ...given }], fields }) });
  const card = await screen.findByRole('region', { name: 'Passkeys' });
  await within(card).findByText(/^Total: /);
  return within(card)
    .queryAllByRole('link', { hidden: true })
    .map((link) => link.getAttribute('href'));
};

test('numbers lead to the events that they count, if a list of events can show these', async () => {
  const time = `${today}-${today + dayMs}`;
  const eventTypes: CustomMetric['eventTypes'] = ['team.created', 'team.deleted'];
  const href = `/projects/p1/events?types=team.created%2Cteam.deleted&team=t1&time=${time}`;
  expect((await linksOf({ eventTypes, filter: { team_id: 't1' }, groupBy: null }))[0]).toBe(href);
  cleanup();
  const byTeam = await linksOf({ eventTypes: ['team.created'], filter: {}, groupBy: 'team_id' });
  expect(byTeam).toContain(`/projects/p1/events?types=team.created&team=github&time=${time}`);
  cleanup();
  expect(await linksOf({ filter: { method: 'passkey' } })).toEqual([]);
});

test('shows how much of the past is counted, and looks again until all is', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  try {
    const findValues = vi
      .fn<CustomMetricsClient['findValues']>()
      .mockResolvedValueOnce({ ...values, isComplete: false, progress: 0.429 })
      .mockResolvedValue(values);
    show({ findValues });
    await vi.waitFor(() => expect(screen.getByText('Counting past events: 42%. The numbers still grow.')).toBeTruthy());
    expect((screen.getByRole('progressbar') as HTMLProgressElement).value).toBe(42);
    await vi.advanceTimersByTimeAsync(2_000);
    await vi.waitFor(() => expect(screen.queryByRole('progressbar')).toBeNull());
    await vi.advanceTimersByTimeAsync(10_000);
    expect(findValues).toHaveBeenCalledTimes(2);
  } finally {
    vi.useRealTimers();
  }
});

test('a metric without counts says so, and one that fails leaves the others', async () => {
  const other = { ...metric, id: 'm2', displayName: 'Teams', unit: 'week' as const };
  show({
    list: async () => ({ items: [metric, other], fields }),
    findValues: async (id) => {
      if (id === 'm1') throw new Error('broken');
      return { ...values, counts: [0, 0], groups: [], total: 0 };
    },
  });
  const [failed, empty] = [
    await screen.findByRole('region', { name: 'Passkeys' }),
    screen.getByRole('region', { name: 'Teams' }),
  ];
  expect(await within(failed).findByText('broken')).toBeTruthy();
  expect(await within(empty).findByText('Nothing was counted in the last 30 weeks.')).toBeTruthy();
});

test('a metric is defined with fields that its events have', async () => {
  const create = vi.fn<CustomMetricsClient['create']>(async () => metric);
  const list = vi.fn(noMetrics);
  show({ list, create });
  fireEvent.click(await screen.findByRole('button', { name: 'Add metric' }));
  const form = await dialog('Add metric');
  fireEvent.click(form.getByRole('button', { name: 'Add metric' }));
  expect(await form.findByText('Enter a name')).toBeTruthy();
  expect(form.getByText('Choose at least one type')).toBeTruthy();
  expect((form.getByRole('button', { name: 'Add filter' }) as HTMLButtonElement).disabled).toBe(true);
  type(form.getByLabelText('Name'), ' Sign-ins ');
  await choose('Events', 'user.signed_in');
  await choose('Count', 'Distinct users');
  await choose('Interval', 'Week');
  fireEvent.click(screen.getByRole('combobox', { name: 'Group by' }));
  expect(screen.queryByRole('option', { name: 'Team ID', hidden: true })).toBeNull();
  fireEvent.click(await screen.findByRole('option', { name: 'Impersonation', hidden: true }));
  fireEvent.click(form.getByRole('button', { name: 'Add filter', hidden: true }));
  fireEvent.click(form.getByRole('button', { name: 'Add metric', hidden: true }));
  expect(await form.findByText('Enter a value')).toBeTruthy();
  type(form.getByLabelText('Value of filter 1'), ' otp ');
  fireEvent.click(form.getByRole('button', { name: 'Add filter', hidden: true }));
  fireEvent.click(form.getByRole('button', { name: 'Add metric', hidden: true }));
  await vi.waitFor(() => expect(create).toHaveBeenCalled());
  expect(create).toHaveBeenCalledExactlyOnceWith({
    ...{ displayName: 'Sign-ins', eventTypes: ['user.signed_in'], count: 'distinct_users', unit: 'week' },
    ...{ groupBy: 'is_impersonation', filter: { method: 'otp', is_impersonation: 'true' } },
  });
  await vi.waitFor(() => expect(list).toHaveBeenCalledTimes(2));
});

test('a metric is changed, from the values that it has', async () => {
  const update = vi.fn<CustomMetricsClient['update']>(async () => metric);
  const list = async () => ({ items: [{ ...metric, groupBy: null }], fields });
  show({ list, update });
  fireEvent.click(await screen.findByRole('button', { name: 'Actions of Passkeys' }));
  fireEvent.click(await screen.findByRole('menuitem', { name: 'Edit metric', hidden: true }));
  const form = await dialog('Edit metric');
  expect((form.getByLabelText('Value of filter 1') as HTMLInputElement).value).toBe('passkey');
  type(form.getByLabelText('Name'), 'Keys');
  fireEvent.click(form.getByRole('button', { name: 'Remove filter Sign-in method' }));
  fireEvent.click(form.getByRole('button', { name: 'Save' }));
  await vi.waitFor(() => expect(update).toHaveBeenCalled());
  expect(update).toHaveBeenCalledExactlyOnceWith('m1', {
    ...{ displayName: 'Keys', eventTypes: ['user.signed_in'], filter: {}, groupBy: null, unit: 'day', count: 'events' },
  });
});

test('a metric is deleted after a question', async () => {
  const remove = vi.fn<CustomMetricsClient['delete']>(async () => {});
  const list = vi.fn(async () => ({ items: remove.mock.calls.length ? [] : [metric], fields }));
  const previewed = show({ list, delete: remove });
  fireEvent.click(await screen.findByRole('button', { name: 'Actions of Passkeys' }));
  fireEvent.click(await screen.findByRole('menuitem', { name: 'Delete metric', hidden: true }));
  const question = await dialog('Delete this metric?');
  expect(await question.findByText('Ends 3 sessions')).toBeTruthy();
  expect(previewed).toEqual([{ method: 'DELETE', path: '/internal/custom-metrics/m1' }]);
  expect(remove).not.toHaveBeenCalled();
  fireEvent.click(question.getByRole('button', { name: 'Delete metric' }));
  expect(await screen.findByText(/Count any event over time/)).toBeTruthy();
  expect(remove).toHaveBeenCalledExactlyOnceWith('m1');
});

test('who only reads sees metrics and can neither add nor change them', async () => {
  show({}, 'read_only');
  expect(await screen.findByRole('region', { name: 'Passkeys' })).toBeTruthy();
  for (const name of ['Add metric', 'Actions of Passkeys']) {
    expect(screen.getByRole('button', { name }).closest('fieldset')?.disabled).toBe(true);
  }
});
