// @vitest-environment happy-dom

import type { WebhookDelivery, WebhookDeliveryDetail, WebhookEndpoint, WebhooksClient } from '@gatebook/js/admin';
import { act, fireEvent, screen, within } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { noWebhooks } from '../../testing/clients.ts';
import { withPreviews } from '../../testing/previews.tsx';
import { renderPage } from '../../testing/render.tsx';
import { sampleEndpoint } from '../../testing/samples.ts';
import { DeliveryPage } from './delivery-page.tsx';
import { EndpointPage } from './endpoint-page.tsx';

const DAY_MS = 86_400_000;
const delivery: WebhookDelivery = {
  ...{ id: 'd1', eventId: 'evt_1', type: 'user.created', status: 'failed', attemptCount: 10, nextAttemptAt: null },
  ...{ lastStatusCode: 503, createdAt: new Date('2026-03-02T10:00:00Z') },
};
const detail: WebhookDeliveryDetail = {
  ...delivery,
  endpointId: 'w1',
  request: { headers: { 'webhook-id': 'evt_1' }, body: '{"type":"user.created"}' },
  attempts: [
    {
      at: new Date(1),
      trigger: 'scheduled',
      statusCode: null,
      errorCode: 'timeout',
      durationInMillis: 15_000,
      responseBody: null,
    },
    {
      at: new Date(2),
      trigger: 'manual',
      statusCode: 503,
      errorCode: null,
      durationInMillis: 20,
      responseBody: 'starting',
    },
  ],
};
const access = {
  events: { listEventTypes: async () => [] },
  ...{ projectId: 'p1', projectName: 'Shop', audit: null, signIn: null },
};

type Fakes = Partial<WebhooksClient> & { endpoint?: Partial<WebhookEndpoint> };

function show({ endpoint, ...calls }: Fakes = {}) {
  const webhooks: WebhooksClient = {
    ...noWebhooks,
    find: async () => sampleEndpoint(endpoint),
    listDeliveries: async () => ({ items: [delivery], nextBefore: null }),
    ...calls,
  };
  return renderPage(<EndpointPage {...access} webhooks={webhooks} endpointId="w1" />);
}

const press = async (name: string) => fireEvent.click(await screen.findByRole('button', { name }));
const menuItem = async (name: string) => {
  await press('More actions');
  fireEvent.click(await screen.findByRole('menuitem', { name }));
};
const inDialog = async (name: string) => within(await screen.findByRole('dialog', { name }));

test('deliveries are filtered by status, and lead to their pages', async () => {
  const listDeliveries = vi.fn<WebhooksClient['listDeliveries']>(async () => ({ items: [delivery], nextBefore: null }));
  show({ listDeliveries });
  const link = await screen.findByRole('link', { name: 'user.created' });
  expect(link.getAttribute('href')).toBe('/projects/p1/webhooks/w1/deliveries/d1');
  expect(screen.getByText(/10 attempts, answered 503/)).toBeTruthy();
  fireEvent.change(screen.getByLabelText('Status'), { target: { value: 'failed' } });
  await vi.waitFor(() => expect(listDeliveries).toHaveBeenLastCalledWith('w1', { limit: 50, status: 'failed' }));
});

test('older deliveries are loaded on demand', async () => {
  const listDeliveries = vi
    .fn<WebhooksClient['listDeliveries']>()
    .mockResolvedValueOnce({ items: [delivery], nextBefore: 'b' })
    .mockResolvedValueOnce({ items: [{ ...delivery, id: 'd0', type: 'team.created' }], nextBefore: null });
  show({ listDeliveries });
  await press('Load older deliveries');
  expect(await screen.findByText('team.created')).toBeTruthy();
  expect(listDeliveries).toHaveBeenLastCalledWith('w1', { limit: 50, before: 'b' });
  expect(screen.queryByRole('button', { name: 'Load older deliveries' })).toBeNull();
});

test('the secret is shown only on request, and rotated with an overlap', async () => {
  const previousExpiresAt = new Date('2026-03-03T10:00:00Z');
  const rotateSecret = vi.fn(async () => ({ secret: 'whsec_new', previousExpiresAt }));
  show({ findSecret: async () => ({ secret: 'whsec_old', previousExpiresAt: null }), rotateSecret });
  await screen.findByText('Signing secret');
  expect(screen.queryByText('whsec_old')).toBeNull();
  await press('Show secret');
  expect(await screen.findByText('whsec_old')).toBeTruthy();
  await press('Rotate secret');
  const form = await inDialog('Rotate the signing secret');
  fireEvent.change(form.getByRole('combobox'), { target: { value: String(7 * DAY_MS) } });
  fireEvent.click(form.getByRole('button', { name: 'Rotate secret' }));
  expect(await screen.findByText('whsec_new')).toBeTruthy();
  expect(rotateSecret).toHaveBeenCalledExactlyOnceWith('w1', 7 * DAY_MS);
  expect(screen.getByText(/also signed with the earlier secret until/)).toBeTruthy();
});

test('a rotation shows what it does before it is confirmed', async () => {
  const webhooks: WebhooksClient = {
    ...{ ...noWebhooks, find: async () => sampleEndpoint() },
    listDeliveries: async () => ({ items: [delivery], nextBefore: null }),
  };
  const { page, previewed } = withPreviews(<EndpointPage {...access} webhooks={webhooks} endpointId="w1" />);
  renderPage(page);
  await press('Rotate secret');
  const form = await inDialog('Rotate the signing secret');
  expect(await form.findByText('Cannot be undone. Sessions stay ended.')).toBeTruthy();
  const path = '/webhooks/endpoints/w1/rotate-secret';
  expect(previewed).toEqual([{ method: 'POST', path, body: { overlap_in_millis: DAY_MS } }]);
});

test('a test shows what the endpoint answered', async () => {
  const test = vi.fn(async () => ({ success: false, statusCode: 500, durationInMillis: 40, errorMessage: 'Broken.' }));
  show({ test });
  await press('Send test');
  const form = await inDialog('Send a test');
  fireEvent.click(form.getByRole('button', { name: 'Send test' }));
  expect(await form.findByText(/Failed: Answered 500 after 40 ms/)).toBeTruthy();
  expect(form.getByText('Broken.')).toBeTruthy();
  expect(test).toHaveBeenCalledExactlyOnceWith('w1', undefined);
});

test('a replay says how many events it sends, sends exactly these, and shows its progress', async () => {
  const replay = vi.fn<WebhooksClient['replay']>(async (_, { dryRun }) => ({
    replayId: dryRun ? null : 'r1',
    matched: 12,
    isExact: true,
  }));
  const running = { id: 'r1', endpointId: 'w1', status: 'running', only: 'all', createdAt: new Date(0) } as const;
  const findReplay = async () => ({ ...running, matched: 12, isExact: true, sent: 5, delivered: 4, failed: 1 });
  const cancelReplay = vi.fn(async () => {});
  show({ replay, findReplay, cancelReplay });
  await press('Replay events');
  const form = await inDialog('Replay events');
  fireEvent.click(form.getByRole('radio', { name: 'All' }));
  expect(await form.findByText('12 events will be sent')).toBeTruthy();
  await vi.waitFor(() =>
    expect(replay).toHaveBeenLastCalledWith('w1', expect.objectContaining({ only: 'all', dryRun: true })),
  );
  const counted = replay.mock.lastCall?.[1];
  fireEvent.click(form.getByRole('button', { name: 'Replay events' }));
  expect(await screen.findByText(/5 of 12 events sent, 4 delivered, 1 failed/)).toBeTruthy();
  expect({ ...replay.mock.lastCall?.[1], dryRun: true }).toEqual(counted);
  await press('Cancel replay');
  await vi.waitFor(() => expect(cancelReplay).toHaveBeenCalledExactlyOnceWith('r1'));
});

test('an endpoint that Gatebook disabled says why, and can be enabled', async () => {
  const update = vi.fn<WebhooksClient['update']>(async () => sampleEndpoint());
  show({ endpoint: { isEnabled: false, disabledReason: 'gone' }, update });
  expect(await screen.findByText(/answered 410 Gone/)).toBeTruthy();
  await press('Enable endpoint');
  await vi.waitFor(() => expect(update).toHaveBeenCalledExactlyOnceWith('w1', { isEnabled: true }));
});

test('disabling and deleting ask first', async () => {
  const update = vi.fn<WebhooksClient['update']>(async () => sampleEndpoint());
  const remove = vi.fn(async () => {});
  const { visited } = show({ update, delete: remove });
  await menuItem('Disable endpoint');
  fireEvent.click((await inDialog('Disable this endpoint?')).getByRole('button', { name: 'Disable endpoint' }));
  await vi.waitFor(() => expect(update).toHaveBeenCalledExactlyOnceWith('w1', { isEnabled: false }));
  await menuItem('Delete endpoint');
  fireEvent.click((await inDialog('Delete this endpoint?')).getByRole('button', { name: 'Delete endpoint' }));
  await vi.waitFor(() => expect(visited).toEqual(['/projects/p1/webhooks']));
  expect(remove).toHaveBeenCalledExactlyOnceWith('w1');
});

test('a dialog that was closed before its call ended does not close the next one', async () => {
  const disabled = Promise.withResolvers<WebhookEndpoint>();
  show({ update: () => disabled.promise });
  await menuItem('Disable endpoint');
  const form = await inDialog('Disable this endpoint?');
  fireEvent.click(form.getByRole('button', { name: 'Disable endpoint' }));
  await menuItem('Delete endpoint');
  const deletion = await inDialog('Delete this endpoint?');
  await act(async () => disabled.resolve(sampleEndpoint()));
  expect(deletion.getByRole('button', { name: 'Delete endpoint' })).toBeTruthy();
  expect(screen.queryByRole('dialog', { name: 'Delete this endpoint?' })).toBeTruthy();
});

test('a delivery shows its attempts, newest first, and can be sent again', async () => {
  const resend = vi.fn(async () => {});
  const webhooks: WebhooksClient = {
    ...noWebhooks,
    ...{ find: async () => sampleEndpoint(), findDelivery: async () => detail, resend },
  };
  renderPage(<DeliveryPage {...access} webhooks={webhooks} endpointId="w1" deliveryId="d1" />);
  const attempts = await screen.findByRole('region', { name: 'Attempts' });
  const texts = within(attempts)
    .getAllByRole('listitem')
    .map(({ textContent }) => textContent);
  expect(texts[0]).toMatch(/503.*resent · 20 ms.*starting/);
  expect(texts[1]).toMatch(/No response: timeout.*scheduled · 15\.0 s/);
  expect(screen.getByText(/curl -X POST 'https:\/\/shop.example\/webhooks'/)).toBeTruthy();
  await press('Resend');
  await vi.waitFor(() => expect(resend).toHaveBeenCalledExactlyOnceWith('d1'));
});

test('a delivery that waits although it is due names no time in the past', async () => {
  const pending: WebhookDelivery = { ...delivery, status: 'pending', attemptCount: 0, lastStatusCode: null };
  const later = new Date(Date.now() + DAY_MS);
  const items = [
    { ...pending, nextAttemptAt: delivery.createdAt },
    { ...pending, id: 'd2', nextAttemptAt: later },
  ];
  show({ listDeliveries: async () => ({ items, nextBefore: null }) });
  expect(await screen.findByText(/no attempt yet · next attempt is due$/)).toBeTruthy();
  expect(screen.getByText(/no attempt yet · next attempt$/).textContent).toContain('next attempt in 23 hours');
});
