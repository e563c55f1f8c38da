// @vitest-environment happy-dom

import type { AuditClient } from '@gatebook/js/admin';
import { cleanup, fireEvent, screen, within } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { annId, sampleAuditEvent } from '../../testing/samples.ts';
import { renamed, show } from './testing/audit-page.tsx';

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
