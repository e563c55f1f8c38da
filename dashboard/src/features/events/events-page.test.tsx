// @vitest-environment happy-dom

import type { EventMethods, PublicEvent } from '@gatebook/js/events';
import { act, cleanup, fireEvent, screen, within } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import type { EventSearch } from '../../components/events/event-search.ts';
import { noEvents } from '../../testing/clients.ts';
import { pending, renderPage } from '../../testing/render.tsx';
import { annId, samplePublicEvent } from '../../testing/samples.ts';
import { EventsPage } from './events-page.tsx';

const signedIn = samplePublicEvent();
const types = [
  { type: 'user.created', description: 'A user was created.', tags: ['Users'], schema: {}, example: { id: 'u9' } },
  { type: 'team.created', description: 'A team was created.', tags: ['Teams'], schema: {}, example: { id: 't9' } },
];

const pageOf = (items: readonly PublicEvent[]) => ({ items, nextAfter: 'next', hasMore: false, headAfter: 'head' });
/** A live stream to which a test adds events. */
function liveStream() {
  let push = (_: PublicEvent): void => {};
  const opened: unknown[] = [];
  let stopped: AbortSignal | undefined;
  async function* follow({
    after,
    types: given,
    signal,
    onConnection,
  }: Parameters<EventMethods['followEvents']>[0] = {}) {
    opened.push({ after, types: given });
    stopped = signal;
    onConnection?.(true);
    for (;;) {
      yield await new Promise<PublicEvent>((resolve) => {
        push = resolve;
      });
    }
  }
  return {
    follow: follow as EventMethods['followEvents'],
    push: (event: PublicEvent) => act(async () => push(event)),
    opened,
    isStopped: () => stopped?.aborted,
  };
}

type Fakes = Partial<EventMethods> & { search?: Partial<EventSearch> };

function show({ search = {}, ...calls }: Fakes = {}) {
  const events: EventMethods = {
    ...noEvents,
    listEvents: (async () => pageOf([signedIn])) as EventMethods['listEvents'],
    listEventTypes: async () => types,
    followEvents: liveStream().follow,
    ...calls,
  };
  return renderPage(
    <EventsPage
      events={events}
      projectId="p1"
      projectName="Shop"
      apiUrl="https://auth.example"
      search={{ tab: 'feed', ...search }}
    />,
  );
}

test('shows a loading state', () => {
  show({ listEvents: () => pending() });
  expect(screen.getByRole('status', { name: 'Loading events' })).toBeTruthy();
});

test('a failed load can be retried', async () => {
  const listEvents = vi
    .fn()
    .mockRejectedValueOnce(new Error('broken'))
    .mockResolvedValue(pageOf([signedIn]));
  show({ listEvents });
  await screen.findByText('broken');
  fireEvent.click(screen.getByRole('button', { name: 'Try again' }));
  expect(await screen.findByText('user.signed_in')).toBeTruthy();
});

test('new events appear at the top while the page is live, and wait while it is paused', async () => {
  const stream = liveStream();
  show({ followEvents: stream.follow, search: { types: 'user.*' } });
  await screen.findByText('Live');
  expect(stream.opened).toEqual([{ after: 'next', types: ['user.*'] }]);
  await stream.push(samplePublicEvent({ id: 'evt_2', type: 'user.sign_in_failed' }));
  const names = () => screen.getAllByRole('listitem').map((row) => within(row).getAllByRole('button')[0]?.textContent);
  expect(names()).toEqual(['user.sign_in_failed', 'user.signed_in']);
  fireEvent.click(screen.getByRole('button', { name: 'Live' }));
  await stream.push(samplePublicEvent({ id: 'evt_3', type: 'user.erased' }));
  expect(names()).toHaveLength(2);
  fireEvent.click(screen.getByRole('button', { name: 'Paused, 1 new event' }));
  expect(names()).toEqual(['user.erased', 'user.sign_in_failed', 'user.signed_in']);
  cleanup();
  expect(stream.isStopped()).toBe(true);
});

test('of a span of time, only its events are shown, without new ones, until its chip is removed', async () => {
  const listEvents = vi.fn().mockResolvedValue(pageOf([signedIn]));
  const stream = liveStream();
  const { visited } = show({ listEvents, followEvents: stream.follow, search: { time: '1000-5000' } });
  await screen.findByText('user.signed_in');
  expect(listEvents).toHaveBeenCalledWith(expect.objectContaining({ sinceMillis: 1_000, untilMillis: 5_000 }));
  expect(stream.opened).toEqual([]);
  expect(screen.queryByRole('button', { name: 'Live' })).toBeNull();
  fireEvent.click(screen.getByRole('button', { name: /^Remove filter: Time: / }));
  expect(visited).toEqual(['/projects/p1/events']);
});

test('a click on a user shows only the events of the user', async () => {
  const { visited } = show({ search: { types: 'user.*' } });
  fireEvent.click(await screen.findByRole('button', { name: `user ${annId.slice(0, 8)}` }));
  expect(visited).toEqual([`/projects/p1/events?types=user.*&user=${annId}`]);
});

test('a user is filtered by a complete ID only', async () => {
  const { visited } = show();
  const field = await screen.findByRole('textbox', { name: 'User ID' });
  const enter = (value: string) => {
    fireEvent.change(field, { target: { value } });
    fireEvent.submit(field);
  };
  enter('11111111');
  expect(screen.getByText('Enter a complete ID')).toBeTruthy();
  enter(annId);
  expect(visited).toEqual([`/projects/p1/events?user=${annId}`]);
});

test('a filter is shown as a chip that removes it', async () => {
  const { visited } = show({ search: { types: 'user.*', team: 't1' } });
  fireEvent.click(await screen.findByRole('button', { name: 'Remove filter: Team: t1' }));
  expect(visited).toEqual(['/projects/p1/events?types=user.*']);
});

test('an open event shows its JSON, a curl command, and the way to its request in the audit log', async () => {
  show({ search: { event: 'evt_1' } });
  const link = await screen.findByRole('link', { name: 'Open in audit log' });
  expect(link.getAttribute('href')).toBe('/projects/p1/audit-log?action=r1');
  expect(screen.getByRole('button', { name: 'Copy event' })).toBeTruthy();
  expect(screen.getByText(/"method"/)).toBeTruthy();
  expect(screen.getByText(/curl 'https:\/\/auth.example\/api\/v1\/events\/evt_1'/)).toBeTruthy();
});

test('a link to an event that is not in the list shows the event', async () => {
  const old = samplePublicEvent({ id: 'evt_0', type: 'user.deleted', data: { id: annId, teams: [] } });
  const getEvent = vi.fn(async () => old);
  show({ search: { event: 'evt_0' }, getEvent });
  expect(await screen.findByText('user.deleted')).toBeTruthy();
  expect(getEvent).toHaveBeenCalledExactlyOnceWith('evt_0');
});

test('an empty result offers to show all events', async () => {
  const listEvents = (async () => pageOf([])) as EventMethods['listEvents'];
  const { visited } = show({ search: { user: annId }, listEvents });
  fireEvent.click(await screen.findByRole('button', { name: 'Show all events' }));
  expect(visited).toEqual(['/projects/p1/events']);
});

test('the catalog lists types by group, with an example and their events', async () => {
  show({ search: { tab: 'types' } });
  expect(await screen.findByRole('heading', { name: 'Teams' })).toBeTruthy();
  const type = screen.getByText('user.created').closest('details');
  if (!type) throw new Error('no details');
  type.open = true;
  fireEvent(type, new Event('toggle'));
  expect(await within(type).findByText('"u9"')).toBeTruthy();
  const link = within(type).getByRole('link', { name: 'Show these events' });
  expect(link.getAttribute('href')).toBe('/projects/p1/events?types=user.created');
});
