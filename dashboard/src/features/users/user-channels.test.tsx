// @vitest-environment happy-dom
import type { ContactChannel, ContactChannelsClient } from '@gatebook/js/core';
import { fireEvent, screen, within } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { never, renderPage } from '../../testing/render.tsx';
import { sampleProject } from '../../testing/samples.ts';
import { UserChannels } from './user-channels.tsx';

const channel = (change: Partial<ContactChannel> = {}): ContactChannel => ({
  id: 'c1',
  userId: 'u1',
  value: 'ann@example.com',
  isPrimary: true,
  isVerified: true,
  usedForAuth: true,
  ...change,
});
const second = channel({ id: 'c2', value: 'two@example.com', isPrimary: false, isVerified: false, usedForAuth: false });

const { config } = sampleProject();
const domains = [
  { domain: 'https://*.shop.example', handlerPath: '/handler' },
  { domain: 'https://shop.example', handlerPath: '/auth' },
];

function show(channels: Partial<ContactChannelsClient>, project = sampleProject({ config: { ...config, domains } })) {
  const onChanged = vi.fn(async () => {});
  const none = { create: never, update: never, delete: never, sendVerification: never };
  const client = { list: async () => [channel(), second], ...none, ...channels };
  renderPage(<UserChannels channels={client} projectId="p1" userId="u1" project={project} onChanged={onChanged} />);
  return onChanged;
}

async function chooseMenuItem(name: string): Promise<void> {
  const button = await screen.findByRole<HTMLButtonElement>('button', { name: 'Change two@example.com' });
  await vi.waitFor(() => expect(button.disabled).toBe(false));
  fireEvent.click(button);
  fireEvent.click(await screen.findByRole('menuitem', { name }));
}

test('email addresses show their status', async () => {
  show({});
  const rows = await screen.findAllByRole('listitem');
  expect(rows[0]?.textContent).toContain('ann@example.com PrimaryVerifiedUsed for sign-in');
  expect(rows[1]?.textContent).toContain('two@example.com Not verified');
});

test('an email address can be made primary, marked as verified and used for sign-in', async () => {
  const update = vi.fn(async () => second);
  const onChanged = show({ update });
  for (const [name, changes] of [
    ['Make primary', { isPrimary: true }],
    ['Mark as verified', { isVerified: true }],
    ['Use for sign-in', { usedForAuth: true }],
  ] as const) {
    await chooseMenuItem(name);
    await vi.waitFor(() => expect(update).toHaveBeenLastCalledWith(second, changes));
    await vi.waitFor(() => expect(onChanged).toHaveBeenCalled());
  }
});

test('an error while changing an email address is shown', async () => {
  show({ update: async () => Promise.reject(new Error('already in use')) });
  await chooseMenuItem('Use for sign-in');
  expect(await screen.findByText('already in use')).toBeTruthy();
});

test('an email address is added, and removed after confirmation', async () => {
  const [create, remove] = [vi.fn(async () => second), vi.fn(async () => {})];
  show({ create, delete: remove });
  fireEvent.click(await screen.findByRole('button', { name: 'Add email' }));
  const form = await screen.findByRole('dialog', { name: 'Add email' });
  fireEvent.change(within(form).getByLabelText('Email'), { target: { value: 'new@example.com' } });
  fireEvent.click(within(form).getByRole('button', { name: 'Add email' }));
  await vi.waitFor(() => expect(create).toHaveBeenCalledWith('u1', { value: 'new@example.com', usedForAuth: false }));
  await chooseMenuItem('Remove email');
  const confirm = await screen.findByRole('dialog', { name: 'Remove this email?' });
  fireEvent.click(within(confirm).getByRole('button', { name: 'Remove email' }));
  await vi.waitFor(() => expect(remove).toHaveBeenCalledWith(second));
});

test('a verification email is sent, with a link to the page of the app', async () => {
  const sendVerification = vi.fn(async () => {});
  show({ sendVerification });
  await chooseMenuItem('Send verification email');
  fireEvent.click(await screen.findByRole('button', { name: 'Send email' }));
  const url = 'https://shop.example/auth/email-verification';
  await vi.waitFor(() => expect(sendVerification).toHaveBeenCalledExactlyOnceWith(second, url));
});

test('without a domain, the dialog asks for one instead of sending', async () => {
  show({}, sampleProject());
  await chooseMenuItem('Send verification email');
  const link = await screen.findByRole('link', { name: 'domain of your app' });
  expect(link.getAttribute('href')).toBe('/projects/p1/settings/domains');
});
