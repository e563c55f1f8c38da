// @vitest-environment happy-dom

import type { AuditClient } from '@gatebook/js/admin';
import { useResourceCache } from '@gatebook/react';
import { cleanup, fireEvent, screen, within } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { AuditCard } from '../../components/audit/audit-card.tsx';
import { readSavedViews } from '../../components/saved-views/stored-views.ts';
import { type Batches, BatchesContext } from '../../lib/batches.ts';
import { ChangesContext } from '../../lib/changes.ts';
import { noAudit, noChanges } from '../../testing/clients.ts';
import { never, pending, renderPage } from '../../testing/render.tsx';
import { annId, sampleAuditEvent } from '../../testing/samples.ts';
import { detail, renamed, show } from './testing/audit-page.tsx';

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

/** Opens the start of a batch in the audit log. */
async function openBatch(action: string, previewUndo: Batches['previewUndo']) {
  const target = { type: 'user_batch', id: 'b1', displayName: null, isErased: false };
  const started = sampleAuditEvent({ type: 'UserBatchStarted', text: 'Started a batch', targets: [target] });
  const undo = { state: 'not_reversible', reasons: ['A batch is undone by another batch.'] };
  const audit: AuditClient = {
    ...noAudit,
    list: async () => ({ items: [started], nextCursor: null }),
    find: async () => ({ ...detail, ...started, data: { action }, undo }),
  };
  renderPage(
    <ChangesContext value={noChanges}>
      <BatchesContext value={{ isBusy: false, ownerId: 'o1', preview: never, start: never, previewUndo, undo: never }}>
        <AuditCard audit={audit} projectId="p1" target={{ type: 'user_batch', id: 'b1' }} />
      </BatchesContext>
    </ChangesContext>,
  );
  fireEvent.click(await screen.findByRole('button', { name: 'Started a batch' }));
}

test('the start of a batch that signs out says that it cannot be undone', async () => {
  await openBatch('sign_out', never);
  expect(await screen.findByText('Cannot be undone.')).toBeTruthy();
  expect(screen.queryByRole('button', { name: 'Undo' })).toBeNull();
});

test('the start of a batch offers to undo the batch', async () => {
  const previewUndo = vi.fn(pending<never>);
  await openBatch('restrict', previewUndo);
  fireEvent.click(await screen.findByRole('button', { name: 'Undo' }));
  expect(await screen.findByRole('dialog', { name: 'Undo this batch?' })).toBeTruthy();
  expect(previewUndo).toHaveBeenCalledExactlyOnceWith('b1');
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
  expect((await screen.findAllByRole('button', { name: /^Change/ })).map((shown) => shown.textContent)).toEqual([
    'Change 1',
  ]);
  fireEvent.click(screen.getByRole('button', { name: 'and 2 more events of the same request' }));
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

test('events that are being read are not announced', async () => {
  const newer = sampleAuditEvent({ id: 'e2', text: 'Signed in' });
  const list = vi.fn<AuditClient['list']>(async () => ({ items: [renamed], nextCursor: null }));
  const follow: AuditClient['follow'] = async function* ({ onConnection } = {}) {
    onConnection?.(true);
    yield { ...newer, cursor: 'c2' };
    await pending();
  };
  const Change = () => {
    const cache = useResourceCache();
    return <button type="button" aria-label="Change" onClick={() => void cache.invalidate(['audit', 'p1'])} />;
  };
  renderPage(
    <>
      <AuditCard audit={{ ...noAudit, list, follow }} projectId="p1" target={{ type: 'user', id: annId }} />
      <Change />
    </>,
  );
  await screen.findByRole('button', { name: 'Show 1 new event' });
  list.mockImplementation(pending);
  fireEvent.click(screen.getByRole('button', { name: 'Change' }));
  await vi.waitFor(() => expect(screen.queryByRole('button', { name: /new event/ })).toBeNull());
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
