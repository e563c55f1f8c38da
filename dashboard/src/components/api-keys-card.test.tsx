// @vitest-environment happy-dom
import type { ApiKey, ApiKeysClient } from '@gatebook/js/core';
import { fireEvent, screen, within } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { noAudit } from '../testing/clients.ts';
import { never, renderPage } from '../testing/render.tsx';
import { ApiKeysCard } from './api-keys-card.tsx';

const day = 86_400_000;
const key = (change: Partial<ApiKey> = {}): ApiKey => ({
  id: 'k1',
  description: 'Laptop',
  isPublic: false,
  createdAt: new Date(Date.now() - day),
  expiresAt: null,
  manuallyRevokedAt: null,
  lastFour: 'ab12',
  ...change,
});
const owner = { type: 'user', id: 'u1' } as const;
const show = (apiKeys: Partial<ApiKeysClient>) =>
  renderPage(
    <ApiKeysCard
      apiKeys={{
        list: async () => [key()],
        listUses: async () => new Map(),
        create: never,
        rotate: never,
        revoke: never,
        ...apiKeys,
      }}
      audit={noAudit}
      owner={owner}
      projectId="p1"
      isAllowed
    />,
  );

test('active, revoked and expired API keys have different statuses', async () => {
  const old = new Date(Date.now() - day);
  show({
    list: async () => [
      key(),
      key({ id: 'k2', description: 'Old', manuallyRevokedAt: old }),
      key({ id: 'k3', description: 'Past', expiresAt: old, isPublic: true }),
    ],
  });
  expect(await screen.findByText('Active')).toBeTruthy();
  expect(screen.getByText('Revoked')).toBeTruthy();
  expect(screen.getByText('Expired')).toBeTruthy();
  expect(screen.getByText('Public')).toBeTruthy();
  expect(screen.queryByRole('button', { name: 'Revoke Old' })).toBeNull();
});

test('the last use of each key is shown, and that a key expires soon', async () => {
  show({
    list: async () => [key(), key({ id: 'k2', description: 'New', expiresAt: new Date(Date.now() + 2 * day) })],
    listUses: async () => new Map([['k1', new Date(Date.now() - 3 * day)]]),
  });
  const [used, unused] = await screen.findAllByRole('listitem');
  await vi.waitFor(() => expect(used?.textContent).toContain('last used 3 days ago'));
  expect(unused?.textContent).toContain('never used');
  expect(unused?.textContent).toContain('Expires soon');
  expect(screen.getAllByText('Active')).toHaveLength(1);
});

test('a new API key is shown once', async () => {
  const create = vi.fn(async () => 'sk_secret');
  show({ create });
  fireEvent.click(await screen.findByRole('button', { name: 'Create API key' }));
  const dialog = await screen.findByRole('dialog', { name: 'Create API key' });
  fireEvent.change(within(dialog).getByLabelText('Name'), { target: { value: 'Server' } });
  fireEvent.change(within(dialog).getByLabelText('Expires after'), { target: { value: 'never' } });
  fireEvent.click(within(dialog).getByRole('button', { name: 'Create API key' }));
  expect(await screen.findByText('sk_secret')).toBeTruthy();
  expect(create).toHaveBeenCalledWith(owner, { description: 'Server', expiresAt: null });
  fireEvent.click(screen.getByRole('button', { name: 'Done, I’ve saved it' }));
  await vi.waitFor(() => expect(screen.queryByText('sk_secret')).toBeNull());
});

test('an API key is rotated with a time in which both work, and the new one is shown once', async () => {
  const rotate = vi.fn<ApiKeysClient['rotate']>(async () => 'sk_new');
  show({ rotate });
  fireEvent.click(await screen.findByRole('button', { name: 'Rotate Laptop' }));
  const dialog = await screen.findByRole('dialog', { name: 'Rotate API key' });
  fireEvent.change(within(dialog).getByLabelText('Old key stops working'), { target: { value: '1' } });
  fireEvent.change(within(dialog).getByLabelText('New key expires after'), { target: { value: 'never' } });
  fireEvent.click(within(dialog).getByRole('button', { name: 'Rotate API key' }));
  expect(await screen.findByText('sk_new')).toBeTruthy();
  const [of, keyId, rotation] = rotate.mock.calls[0] ?? [];
  expect([of, keyId, rotation?.expiresAt]).toEqual([owner, 'k1', null]);
  expect(Math.abs(Number(rotation?.oldExpiresAt) - Date.now() - day)).toBeLessThan(60_000);
  fireEvent.click(screen.getByRole('button', { name: 'Done, I’ve saved it' }));
  await vi.waitFor(() => expect(screen.queryByText('sk_new')).toBeNull());
});

test('an API key is revoked after confirmation', async () => {
  const revoke = vi.fn(async () => {});
  show({ revoke });
  fireEvent.click(await screen.findByRole('button', { name: 'Revoke Laptop' }));
  const dialog = await screen.findByRole('dialog', { name: 'Revoke this API key?' });
  fireEvent.click(within(dialog).getByRole('button', { name: 'Revoke API key' }));
  await vi.waitFor(() => expect(revoke).toHaveBeenCalledWith(owner, 'k1'));
});
