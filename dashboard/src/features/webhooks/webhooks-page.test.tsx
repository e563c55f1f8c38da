// @vitest-environment happy-dom

import type { WebhookEndpoint, WebhooksClient } from '@gatebook/js/admin';
import { KnownError } from '@gatebook/js/errors';
import { fireEvent, screen, within } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { noWebhooks } from '../../testing/clients.ts';
import { pending, renderPage } from '../../testing/render.tsx';
import { sampleEndpoint } from '../../testing/samples.ts';
import { WebhooksPage } from './webhooks-page.tsx';

const types = ['user.created', 'user.deleted', 'team.created'].map((type) => ({
  ...{ type, description: `What ${type} tells.`, tags: ['Users'], schema: {}, example: { id: type } },
}));
const created = { ...sampleEndpoint(), secret: 'whsec_secret' };

function show(calls: Partial<WebhooksClient>, signIn: (() => void) | null = null) {
  return renderPage(
    <WebhooksPage
      webhooks={{ ...noWebhooks, ...calls }}
      events={{ listEventTypes: async () => types }}
      projectId="p1"
      projectName="Shop"
      audit={null}
      signIn={signIn}
    />,
  );
}

const dialog = (name: string) => screen.findByRole('dialog', { name });
const type = (field: HTMLElement, value: string) => fireEvent.change(field, { target: { value } });

test('shows a loading state', () => {
  show({ list: () => pending() });
  expect(screen.getByRole('status', { name: 'Loading endpoints' })).toBeTruthy();
});

test('a failed load can be retried', async () => {
  const list = vi.fn().mockRejectedValueOnce(new Error('broken')).mockResolvedValue([]);
  show({ list });
  await screen.findByText('broken');
  fireEvent.click(screen.getByRole('button', { name: 'Try again' }));
  expect(await screen.findByRole('heading', { name: 'No endpoints yet' })).toBeTruthy();
});

test('each endpoint has its types, state and health', async () => {
  const failing = sampleEndpoint({
    ...{ id: 'w2', url: 'https://b.example', types: ['user.*'], isEnabled: false, disabledReason: 'failing' },
    ...{ successRate: 0, p95DurationInMillis: 15_000 },
  });
  show({ list: async () => [sampleEndpoint(), failing] });
  const [first, second] = await screen.findAllByRole('listitem');
  expect(first?.textContent).toMatch(/Billing.*All events.*Enabled.*99\.8%.*120 ms/);
  expect(second?.textContent).toMatch(/user\.\*.*Disabled.*0%.*15\.0 s/);
  const link = screen.getByRole('link', { name: 'https://b.example' });
  expect(link.getAttribute('href')).toBe('/projects/p1/webhooks/w2');
});

test('a new endpoint is created with its types and headers, and its secret is shown', async () => {
  const create = vi.fn<WebhooksClient['create']>(async () => created);
  show({ list: async () => [], create });
  fireEvent.click(await screen.findByRole('button', { name: 'Add endpoint' }));
  const form = within(await dialog('Add endpoint'));
  fireEvent.click(form.getByRole('button', { name: 'Add endpoint' }));
  expect(await form.findByText(/Enter a complete URL/)).toBeTruthy();
  type(form.getByLabelText('URL'), 'https://shop.example/webhooks');
  fireEvent.click(await form.findByRole('combobox', { name: 'Events' }));
  fireEvent.click(await screen.findByRole('option', { name: 'user.created', hidden: true }));
  fireEvent.click(await screen.findByRole('option', { name: 'user.*', hidden: true }));
  fireEvent.click(form.getByRole('button', { name: 'Add header', hidden: true }));
  type(form.getByLabelText('Name of header 1'), 'Authorization');
  type(form.getByLabelText('Value of header 1'), 'Bearer t');
  fireEvent.click(form.getByRole('button', { name: 'Add endpoint' }));
  const shown = within(await dialog('Save the signing secret'));
  expect(shown.getByText('whsec_secret')).toBeTruthy();
  expect(create).toHaveBeenCalledExactlyOnceWith({
    ...{ url: 'https://shop.example/webhooks', description: '', types: ['user.*'], ordering: 'subject' },
    ...{ rateLimitPerSecond: null, headers: { Authorization: 'Bearer t' } },
  });
});

test('the reason why a URL is not allowed stands at the field', async () => {
  const rejected = new KnownError('WEBHOOK_URL_NOT_ALLOWED', 400, 'The host is private.', {});
  show({ list: async () => [], create: async () => Promise.reject(rejected) });
  fireEvent.click(await screen.findByRole('button', { name: 'Add endpoint' }));
  const form = within(await dialog('Add endpoint'));
  type(form.getByLabelText('URL'), 'https://10.0.0.1/hook');
  fireEvent.click(form.getByRole('button', { name: 'Add endpoint' }));
  expect(await form.findByText('The host is private.')).toBeTruthy();
});

test('the examples are those of the chosen types', async () => {
  show({ list: async () => [] });
  fireEvent.click(await screen.findByRole('button', { name: 'Add endpoint' }));
  const form = within(await dialog('Add endpoint'));
  fireEvent.click(await form.findByRole('combobox', { name: 'Events' }));
  fireEvent.click(await screen.findByRole('option', { name: 'team.created', hidden: true }));
  const examples = form.getByText('Example payloads').closest('details');
  if (!examples) throw new Error('no details');
  examples.open = true;
  fireEvent(examples, new Event('toggle'));
  const select = await within(examples).findByLabelText<HTMLSelectElement>('Type of the example');
  expect([...select.options].map(({ value }) => value)).toEqual(['team.created']);
  expect(within(examples).getByText('What team.created tells.')).toBeTruthy();
});

test('the holder of an expired token is told so, and can sign in', async () => {
  const signIn = vi.fn();
  const expired = new KnownError('ADMIN_ACCESS_TOKEN_EXPIRED', 401, 'Expired.', {});
  show({ list: async (): Promise<WebhookEndpoint[]> => Promise.reject(expired) }, signIn);
  expect(await screen.findByRole('heading', { name: 'This link has expired' })).toBeTruthy();
  fireEvent.click(screen.getByRole('button', { name: 'Sign in' }));
  expect(signIn).toHaveBeenCalledOnce();
});
