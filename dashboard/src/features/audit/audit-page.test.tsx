// @vitest-environment happy-dom

import type { AuditClient } from '@gatebook/js/admin';
import { cleanup, fireEvent, screen, within } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { AuditCard } from '../../components/audit/audit-card.tsx';
import type { AuditSearch } from '../../components/audit/audit-search.ts';
import { readSavedViews } from '../../components/saved-views/stored-views.ts';
import { BatchesContext } from '../../lib/batches.ts';
import { noAudit } from '../../testing/clients.ts';
import { never, pending, renderPage } from '../../testing/render.tsx';
import { annId, sampleAuditEvent } from '../../testing/samples.ts';
import { AuditPage } from './audit-page.tsx';

const renamed = sampleAuditEvent();
const detail = {
  ...renamed,
  changes: [
    { field: 'display_name', before: 'Ann', after: 'Anne', isRedacted: false },
    { field: 'smtp_password', before: 'redacted', after: 'redacted', isRedacted: true },
    { field: 'profile_image_url', before: null, after: { bytes: 90_000, sha256: 'ab' }, isRedacted: false },
  ],
  data: { userId: annId },
  effects: [sampleAuditEvent({ id: 'e9', text: 'Sent a notice' })],
  undo: { state: 'possible', reasons: [] },
  actionsSameRequest: [],
};

type Fakes = Partial<AuditClient> & { search?: Partial<AuditSearch> };

function show({ search = {}, ...calls }: Fakes = {}) {
  const audit: AuditClient = {
    ...noAudit,
    list: async () => ({ items: [renamed], nextCursor: null }),
    timeline: async () => [{ at: new Date(0), count: 0, isComplete: true }],
    listTypes: async () => [],
    find: async () => detail,
    ...calls,
  };
  return renderPage(<AuditPage audit={audit} projectId="p1" projectName="Shop" search={{ tab: 'all', ...search }} />);
}

test('an event reads as a sentence with its actor, target and address', async () => {
  show();
  const entry = await screen.findByRole('listitem');
  expect(entry.textContent).toContain('Changed display name from Ann to Anne');
  expect(entry.textContent).toContain('by Maya (owner)');
  expect(entry.textContent).toContain('Ann Achebe');
});

test('a caller without a session is named, unless the event itself says who it is', async () => {
  const visitor = { ...renamed.actor, kind: 'client', id: null, displayName: null };
  const asked = sampleAuditEvent({ type: 'PasswordResetRequested', text: 'A reset was requested', actor: visitor });
  const signedIn = sampleAuditEvent({
    id: 'e2',
    actionId: 'a2',
    type: 'SessionStarted',
    text: 'Signed in',
    actor: visitor,
  });
  show({ list: async () => ({ items: [asked, signedIn], nextCursor: null }) });
  const [first, second] = await screen.findAllByRole('listitem');
  expect(first?.textContent).toContain('by a signed-out visitor');
  expect(second?.textContent).toContain('Signed in');
  expect(second?.textContent).not.toContain(' by ');
});

test('a target without a name is left out where it leads to no other events', async () => {
  const target = { type: 'session', id: 's1', displayName: null, isErased: false };
  const audit: AuditClient = {
    ...noAudit,
    list: async () => ({ items: [sampleAuditEvent({ targets: [target] })], nextCursor: null }),
  };
  show(audit);
  expect((await screen.findByRole('listitem')).textContent).toContain('session');
  cleanup();
  renderPage(<AuditCard audit={audit} projectId="p1" target={{ type: 'user', id: annId }} />);
  expect((await screen.findByRole('listitem')).textContent).not.toContain('session');
});

test('the start of a batch offers to undo the batch', async () => {
  const target = { type: 'user_batch', id: 'b1', displayName: null, isErased: false };
  const started = sampleAuditEvent({ type: 'UserBatchStarted', text: 'Started a batch', targets: [target] });
  const previewUndo = vi.fn(pending<never>);
  const audit: AuditClient = {
    ...noAudit,
    list: async () => ({ items: [started], nextCursor: null }),
    find: async () => ({ ...detail, ...started, undo: { state: 'not_reversible', reasons: [] } }),
  };
  renderPage(
    <BatchesContext value={{ isBusy: false, ownerId: 'o1', preview: never, start: never, previewUndo, undo: never }}>
      <AuditCard audit={audit} projectId="p1" target={{ type: 'user_batch', id: 'b1' }} />
    </BatchesContext>,
  );
  fireEvent.click(await screen.findByRole('button', { name: 'Started a batch' }));
  fireEvent.click(await screen.findByRole('button', { name: 'Undo' }));
  expect(await screen.findByRole('dialog', { name: 'Undo this batch?' })).toBeTruthy();
  expect(previewUndo).toHaveBeenCalledExactlyOnceWith('b1');
});

test('a click on a value adds it as a filter to the URL', async () => {
  const { visited } = show({ search: { ip: '203.0.113.9' } });
  fireEvent.click(await screen.findByRole('button', { name: 'Ann Achebe' }));
  fireEvent.click(screen.getByRole('button', { name: 'Maya (owner)' }));
  expect(visited).toEqual([
    `/projects/p1/audit-log?ip=203.0.113.9&target=user%3A${annId}`,
    '/projects/p1/audit-log?ip=203.0.113.9&actor=o',
  ]);
});

test('Alt leaves a value out, with mouse, keyboard and menu', async () => {
  const search = { ip: '203.0.113.9', not_actor: 'x', event: 'e1' };
  const { visited } = show({ search });
  const name = await screen.findByRole('button', { name: 'Ann Achebe' });
  fireEvent.click(name, { altKey: true });
  fireEvent.keyDown(screen.getByRole('button', { name: 'Maya (owner)' }), { key: 'Enter', altKey: true });
  fireEvent.click(await screen.findByRole('button', { name: 'Filter' }));
  const items = await screen.findAllByRole('menuitem', { name: 'Type: UserRenamed' });
  fireEvent.click(items[1] as HTMLElement);
  expect(visited).toEqual([
    `/projects/p1/audit-log?ip=203.0.113.9&not_actor=x&not_target=user%3A${annId}`,
    '/projects/p1/audit-log?ip=203.0.113.9&not_actor=x%2Co',
    '/projects/p1/audit-log?ip=203.0.113.9&not_actor=x&not_type=UserRenamed',
  ]);
});

test('a chip names an excluded value, and removes only that exclusion', async () => {
  const list = vi.fn<AuditClient['list']>(async () => ({ items: [renamed], nextCursor: null }));
  const { visited } = show({ list, search: { not_actor: 'o', not_target: `user:${annId},team:t1` } });
  await screen.findByText('Not by: Maya (owner)');
  expect(screen.getByText('Not team: t1')).toBeTruthy();
  const filters = { excludeActorId: 'o', excludeTargetId: `${annId},t1` };
  expect(list).toHaveBeenCalledWith(expect.objectContaining({ ...filters, limit: 50 }));
  fireEvent.click(screen.getByRole('button', { name: 'Remove filter: Not user: Ann Achebe' }));
  expect(visited).toEqual(['/projects/p1/audit-log?not_actor=o&not_target=team%3At1']);
});

test('the search field leaves out what follows a minus', async () => {
  const { visited } = show();
  const field = await screen.findByRole('searchbox');
  fireEvent.change(field, { target: { value: '-203.0.113.0/24' } });
  fireEvent.submit(field);
  expect(visited).toEqual(['/projects/p1/audit-log?not_ip=203.0.113.0%2F24']);
});

test('a time range is entered with date and time, in UTC if wanted', async () => {
  const { visited } = show({ search: { from: '1764720000000' } });
  const time = await screen.findByRole('combobox', { name: 'Time' });
  fireEvent.change(time, { target: { value: 'From … until …' } });
  const dialog = await screen.findByRole('dialog', { name: 'Time range' });
  expect(within(dialog).getByText(/Time zone: \w+/)).toBeTruthy();
  fireEvent.click(within(dialog).getByRole('switch', { name: 'Times in UTC' }));
  expect(within(dialog).getByLabelText<HTMLInputElement>('From').value).toContain('2025-12-03T00:00');
  fireEvent.change(within(dialog).getByLabelText('Until'), { target: { value: '2025-12-02T23:00' } });
  expect(within(dialog).getByText('Must be later than the beginning')).toBeTruthy();
  fireEvent.change(within(dialog).getByLabelText('Until'), { target: { value: '2025-12-03T12:30:05' } });
  fireEvent.click(within(dialog).getByRole('button', { name: 'Show' }));
  expect(visited).toEqual(['/projects/p1/audit-log?from=1764720000000&until=1764765005000&zone=utc']);
});

test('a range before now stays in the URL, and counts from the moment that the page is shown', async () => {
  const { visited } = show();
  fireEvent.change(await screen.findByRole('combobox', { name: 'Time' }), { target: { value: 'Last 7 days' } });
  expect(visited).toEqual(['/projects/p1/audit-log?from=-7d']);
  cleanup();
  vi.useFakeTimers({ now: 1_800_000_000_000, shouldAdvanceTime: true });
  const list = vi.fn<AuditClient['list']>(async () => ({ items: [renamed], nextCursor: null }));
  const timeline = vi.fn<AuditClient['timeline']>(async () => [{ at: new Date(0), count: 0, isComplete: true }]);
  show({ list, timeline, search: { from: '-7d' } });
  await screen.findByText('Highest bar: 0 events');
  expect(screen.getByRole('button', { name: 'Remove filter: Last 7 days' })).toBeTruthy();
  const [fromMillis] = list.mock.calls.map(([query]) => query?.fromMillis);
  expect(fromMillis).toBeCloseTo(1_800_000_000_000 - 7 * 86_400_000, -4);
  expect(timeline).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ fromMillis }));
  vi.useRealTimers();
});

test('times are in the zone that the URL names', async () => {
  const at = new Date('2025-12-02T23:30:00Z');
  const list = async () => ({ items: [sampleAuditEvent({ at, lastAt: at })], nextCursor: null });
  show({ list, search: { from: '1764720000000', until: '1764765005000', zone: 'utc' } });
  expect(await screen.findByText(/^After Dec 3, 2025, 12:00:00.AM UTC$/)).toBeTruthy();
  expect(await screen.findByRole('heading', { name: 'Dec 2, 2025' })).toBeTruthy();
  cleanup();
  show({ list, search: { from: '1764720000000' } });
  expect(await screen.findByText(/^After Dec \d, 2025, .* (UTC|GMT\S*|[A-Z]{2,5})$/)).toBeTruthy();
});

test('a filter is shown as a chip that removes it', async () => {
  const { visited } = show({ search: { ip: '203.0.113.9', type: 'UserRenamed' } });
  fireEvent.click(await screen.findByRole('button', { name: 'Remove filter: From: 203.0.113.9' }));
  expect(visited).toEqual(['/projects/p1/audit-log?type=UserRenamed']);
});

test('an open event shows what it changed and caused, without secrets', async () => {
  show({ search: { event: 'e1' } });
  const name = await screen.findByRole('row', { name: /display_name/ });
  expect(within(name).getByText('Ann').closest('del')).toBeTruthy();
  expect(within(name).getByText('Anne')).toBeTruthy();
  const rowText = (field: RegExp) => screen.getByRole('row', { name: field }).textContent;
  expect(rowText(/smtp_password/)).toBe('smtp_passwordhiddenhidden');
  expect(rowText(/profile_image_url/)).toBe('profile_image_urlnone90,000 bytes');
  expect(screen.getByText('Sent a notice')).toBeTruthy();
});

test('events of one request are one entry that unfolds', async () => {
  const items = ['3', '2', '1'].map((id) => sampleAuditEvent({ id, actionId: 'r', text: `Change ${id}` }));
  show({ list: async () => ({ items, nextCursor: null }) });
  fireEvent.click(await screen.findByRole('button', { name: 'and 2 more events of the same request' }));
  expect(screen.getAllByRole('listitem')).toHaveLength(3);
});

test('equal rejections are one entry with their number', async () => {
  const rejected = sampleAuditEvent({ outcome: 'rejected', text: 'Sign-in failed', count: 312, errorCode: 'X' });
  show({ list: async () => ({ items: [rejected], nextCursor: null }), search: { event: rejected.id } });
  const entry = await screen.findByRole('listitem');
  expect(entry.textContent).toContain('Sign-in failed312 times');
  expect(entry.textContent).toContain('X');
  const why = screen.getByRole('link', { name: 'Why was it rejected?' });
  expect(why.getAttribute('href')).toContain(`/projects/p1/rejections/${rejected.actionId}`);
});

test('the ID of a request without events leads to the reasons of its rejection', async () => {
  show({ list: async () => ({ items: [], nextCursor: null }), search: { action: 'k3mx0000000000aa' } });
  const why = await screen.findByRole('link', { name: 'Was this request rejected?' });
  expect(why.getAttribute('href')).toContain('/projects/p1/rejections/k3mx0000000000aa');
});

test('older events are loaded on demand', async () => {
  const list = vi
    .fn<AuditClient['list']>()
    .mockResolvedValueOnce({ items: [sampleAuditEvent({ id: '2', text: 'Second' })], nextCursor: 'c' })
    .mockResolvedValueOnce({ items: [sampleAuditEvent({ id: '1', text: 'First' })], nextCursor: null });
  show({ list });
  fireEvent.click(await screen.findByRole('button', { name: 'Load older events' }));
  expect(await screen.findByText('First')).toBeTruthy();
  expect(list).toHaveBeenLastCalledWith(expect.objectContaining({ cursor: 'c' }));
  expect(screen.queryByRole('button', { name: 'Load older events' })).toBeNull();
});

test('new events are announced and do not move the rows', async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true });
  const newer = sampleAuditEvent({ id: 'e2', text: 'Signed in' });
  const list = vi.fn<AuditClient['list']>(async () => ({ items: [newer, renamed], nextCursor: null }));
  list.mockResolvedValueOnce({ items: [renamed], nextCursor: null });
  show({ list });
  await screen.findByText(renamed.text);
  await vi.advanceTimersByTimeAsync(5_000);
  expect(screen.queryByText('Signed in')).toBeNull();
  fireEvent.click(await screen.findByRole('button', { name: 'Show 1 new event' }));
  expect(await screen.findByText('Signed in')).toBeTruthy();
  vi.useRealTimers();
});

test('a bar of the timeline limits the log to its time', async () => {
  const timeline = async () => [
    { at: new Date(1_000_000), count: 3, isComplete: true },
    { at: new Date(2_000_000), count: 0, isComplete: false },
  ];
  const { visited } = show({ timeline, search: { from: '1000000', until: '3000000' } });
  expect(await screen.findByText('Highest bar: 3 events')).toBeTruthy();
  expect(screen.getByText(/^There are too many events/)).toBeTruthy();
  fireEvent.click(screen.getByRole('button', { name: /^3 events, / }));
  expect(visited).toEqual(['/projects/p1/audit-log?from=1000000&until=2000000']);
});

test('an empty result offers to show all events', async () => {
  const { visited } = show({ search: { ip: '203.0.113.9' }, list: async () => ({ items: [], nextCursor: null }) });
  fireEvent.click(await screen.findByRole('button', { name: 'Show all events' }));
  expect(visited).toEqual(['/projects/p1/audit-log']);
});

test('a live stream announces new events without polling', async () => {
  const newer = sampleAuditEvent({ id: 'e2', text: 'Signed in' });
  const list = vi.fn<AuditClient['list']>(async () => ({ items: [renamed], nextCursor: null }));
  let stopped: AbortSignal | undefined;
  const follow: AuditClient['follow'] = async function* ({ signal, onConnection } = {}) {
    stopped = signal;
    onConnection?.(true);
    await screen.findByText(renamed.text);
    yield { ...newer, cursor: 'c2' };
    await new Promise((resolve) => signal?.addEventListener('abort', resolve));
  };
  show({ list, follow });
  expect(await screen.findByRole('button', { name: 'Show 1 new event' })).toBeTruthy();
  expect(screen.queryByText('Signed in')).toBeNull();
  // The page, and a look at what happened before the stream began.
  expect(list).toHaveBeenCalledTimes(2);
  cleanup();
  expect(stopped?.aborted).toBe(true);
});

test('an export has the filters of the page, and says when it is complete', async () => {
  const openExport = vi.fn(async () => new Blob(['{"id":"e1"}\n{"end":true}\n']).stream());
  show({ search: { tab: 'administration', ip: '203.0.113.9' }, openExport });
  fireEvent.click(await screen.findByRole('button', { name: 'Export' }));
  const dialog = await screen.findByRole('dialog', { name: 'Export audit log' });
  expect(within(dialog).getByText('Administration')).toBeTruthy();
  expect(within(dialog).getByText('From: 203.0.113.9')).toBeTruthy();
  fireEvent.click(within(dialog).getByRole('radio', { name: /CloudEvents/ }));
  fireEvent.click(within(dialog).getByRole('button', { name: 'Export' }));
  expect(await within(dialog).findByText(/1 event, 1 kB. The export is complete./)).toBeTruthy();
  const filters = { ip: '203.0.113.9', actorKind: 'owner,admin,server,operator,system' };
  expect(openExport).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ ...filters, format: 'cloudevents' }));
});

test('filters are saved in the browser under a name, per project', async () => {
  const { visited } = show({ search: { ip: '203.0.113.9' } });
  fireEvent.click(await screen.findByRole('button', { name: 'Saved views' }));
  fireEvent.click(await screen.findByRole('menuitem', { name: 'Save this view' }));
  const dialog = await screen.findByRole('dialog', { name: 'Save this view' });
  fireEvent.change(within(dialog).getByLabelText('Name'), { target: { value: 'Office' } });
  fireEvent.click(within(dialog).getByRole('button', { name: 'Save view' }));
  await vi.waitFor(() => expect(readSavedViews('audit', 'p1')).toEqual([{ name: 'Office', query: '?ip=203.0.113.9' }]));
  expect(readSavedViews('audit', 'p2')).toEqual([]);
  fireEvent.click(screen.getByRole('button', { name: 'Saved views' }));
  fireEvent.click(await screen.findByRole('menuitem', { name: 'Office' }));
  expect(visited).toEqual(['/projects/p1/audit-log?ip=203.0.113.9']);
  fireEvent.click(screen.getByRole('button', { name: 'Saved views' }));
  fireEvent.click(await screen.findByRole('button', { name: 'Delete view Office' }));
  expect(readSavedViews('audit', 'p1')).toEqual([]);
});

test('what the browser stores instead of saved views is ignored', () => {
  localStorage.setItem('gatebook-audit-views-p1', '[{"name":1},"x",{"name":"Office","query":""}]');
  expect(readSavedViews('audit', 'p1')).toEqual([{ name: 'Office', query: '' }]);
  localStorage.setItem('gatebook-audit-views-p1', '{');
  expect(readSavedViews('audit', 'p1')).toEqual([]);
});
