// @vitest-environment happy-dom

import type { AuditClient } from '@gatebook/js/admin';
import { fireEvent, screen } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { Page } from '../../components/page.tsx';
import { Card } from '../../components/states.tsx';
import { PresentOnly, Writing } from '../../components/writing.tsx';
import { MomentContext } from '../../lib/moment.ts';
import { noAudit } from '../../testing/clients.ts';
import { renderPage } from '../../testing/render.tsx';
import { annId, sampleAuditEvent } from '../../testing/samples.ts';
import { TimeBar } from './time-bar.tsx';

const eventId = '22222222-2222-4222-8222-222222222222';
const at = Date.parse('2026-03-01T10:00:00Z');

function show({ path = `/projects/p1/users/${annId}`, moment = String(at), ...calls }: ShowOptions = {}) {
  const set = vi.fn();
  renderPage(
    <MomentContext value={{ value: moment, set }}>
      <TimeBar audit={{ ...noAudit, ...calls }} projectId="p1" path={path} moment={moment} />
      <Page title="User" actions={<button type="button">Edit user</button>}>
        <Card title="Keys" actions={<button type="button">Create key</button>}>
          <Writing>
            <input aria-label="Name" />
          </Writing>
          <PresentOnly>providers of today</PresentOnly>
          <button type="button">Explain</button>
        </Card>
      </Page>
    </MomentContext>,
  );
  return set;
}
type ShowOptions = Partial<AuditClient> & { path?: string; moment?: string };

test('the previous change of the shown object becomes the moment', async () => {
  const list = vi.fn(async () => ({ items: [sampleAuditEvent({ id: eventId })], nextCursor: null }));
  const set = show({ list });
  fireEvent.click(screen.getByRole('button', { name: 'Previous change' }));
  await vi.waitFor(() => expect(set).toHaveBeenCalledWith(eventId));
  const asked = { targetType: 'user', targetId: annId, untilMillis: at + 1, order: 'desc' };
  expect(list).toHaveBeenCalledWith(expect.objectContaining(asked));
});

test('the next change of an event can be in the same millisecond, but not in the same action', async () => {
  const sameMoment = (id: string, actionId: string) => sampleAuditEvent({ id, actionId, at: new Date(at) });
  const shown = sameMoment(eventId, 'second');
  const items = [sameMoment('e1', 'first'), shown, sameMoment('e3', 'second'), sameMoment('e4', 'third')];
  const detail = {
    changes: [],
    data: {},
    effects: [],
    undo: { state: 'possible', reasons: [] },
    actionsSameRequest: [],
  };
  const list: AuditClient['list'] = async ({ cursor, order, ...range } = {}) => {
    expect({ order, from: range.fromMillis }).toEqual({ order: 'asc', from: at });
    return cursor ? { items: items.slice(2), nextCursor: null } : { items: items.slice(0, 2), nextCursor: 'rest' };
  };
  const set = show({ moment: eventId, find: async () => ({ ...shown, ...detail }), list });
  fireEvent.click(await screen.findByRole('button', { name: 'Next change' }));
  await vi.waitFor(() => expect(set).toHaveBeenCalledExactlyOnceWith('e4'));
});

test('without a later change it says so', async () => {
  const set = show({ list: async () => ({ items: [], nextCursor: null }) });
  fireEvent.click(screen.getByRole('button', { name: 'Next change' }));
  expect(await screen.findByText('There is no later change.')).toBeTruthy();
  expect(set).not.toHaveBeenCalled();
});

test('after a change, its sentence is shown, and the field has its time', async () => {
  const find = async () => ({
    ...sampleAuditEvent({ text: 'Renamed', at: new Date('2026-02-03T08:30:15.500') }),
    changes: [],
    data: {},
    effects: [],
    undo: { state: 'possible', reasons: [] },
    actionsSameRequest: [],
  });
  show({ moment: eventId, find });
  expect(await screen.findByText(/after “Renamed”, read-only/)).toBeTruthy();
  expect(screen.getByLabelText<HTMLInputElement>('Date and time').value).toBe('2026-02-03T08:30:15');
});

test('a time is chosen in the field', () => {
  const set = show();
  fireEvent.change(screen.getByLabelText('Date and time'), { target: { value: '2026-02-01T08:30:00' } });
  fireEvent.click(screen.getByRole('button', { name: 'View' }));
  expect(set).toHaveBeenCalledWith(String(new Date('2026-02-01T08:30:00').getTime()));
});

test('the state is compared with now', async () => {
  const change = { field: 'display_name', before: 'Ann', after: 'Anne', isRedacted: false };
  const difference = { existedBefore: true, existsAfter: false, changes: [change], events: [], hasMoreEvents: false };
  const compareWithNow = vi.fn(async () => difference);
  show({ compareWithNow });
  fireEvent.click(screen.getByRole('button', { name: 'Compare with now' }));
  expect(await screen.findByText('It no longer exists.')).toBeTruthy();
  expect(screen.getByRole('row', { name: /display_name/ }).textContent).toBe('display_nameAnnAnne');
  expect(compareWithNow).toHaveBeenCalledWith({ targetType: 'user', targetId: annId, from: String(at) });
});

test('the past has no actions, and the way back ends it', () => {
  const set = show();
  expect(screen.queryByRole('button', { name: 'Edit user' })).toBeNull();
  const isDisabled = (element: HTMLElement) => element.closest('fieldset[disabled]')?.getAttribute('title') ?? null;
  const reason = 'The past is read-only. Go back to now to make changes.';
  expect(isDisabled(screen.getByRole('button', { name: 'Create key' }))).toBe(reason);
  expect(isDisabled(screen.getByLabelText('Name'))).toBe(reason);
  expect(isDisabled(screen.getByRole('button', { name: 'Explain' }))).toBeNull();
  expect(screen.queryByText('providers of today')).toBeNull();
  fireEvent.click(screen.getByRole('button', { name: 'Back to now' }));
  expect(set).toHaveBeenCalledWith(null);
});

test('a page without a past says so', () => {
  show({ path: '/projects/p1/audit-log' });
  expect(screen.getByText('This page shows the present.')).toBeTruthy();
});
