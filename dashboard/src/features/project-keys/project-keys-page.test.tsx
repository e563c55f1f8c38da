// @vitest-environment happy-dom
import type { ProjectKey, ProjectKeysClient } from '@gatebook/sdk/project-keys';
import { fireEvent, screen, waitFor } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { never, showPage } from '../../testing/render.tsx';
import { ProjectKeysPage } from './project-keys-page.tsx';

const day = 86_400_000;
const key = (change: Partial<ProjectKey> = {}): ProjectKey => ({
  id: '00000000-0000-4000-8000-000000000001',
  description: 'Website',
  createdAt: new Date(),
  expiresAt: new Date(Date.now() + day),
  manuallyRevokedAt: null,
  lastFour: { publishableClientKey: 'ab12', secretServerKey: null, superSecretAdminKey: null },
  ...change,
});

function show(client: Partial<ProjectKeysClient>) {
  const keys: ProjectKeysClient = { list: never, create: never, describe: never, revoke: never, ...client };
  return showPage(<ProjectKeysPage keys={keys} projectId="p" projectName="Shop" apiUrl="http://localhost:8102" />);
}

test('loading, then empty with the next step', async () => {
  show({ list: async () => [] });
  expect(screen.getByRole('status', { name: 'Loading keys' })).toBeTruthy();
  expect(await screen.findByText('No keys yet')).toBeTruthy();
});

test('each key says what it is, whether it is good, and only its last four characters', async () => {
  const list = async () => [
    key(),
    key({ id: 'b', description: 'Old', manuallyRevokedAt: new Date() }),
    key({ id: 'c', description: 'Older', expiresAt: new Date(Date.now() - day) }),
  ];
  show({ list });
  expect(await screen.findByText('In use')).toBeTruthy();
  expect(screen.getByText('Revoked')).toBeTruthy();
  expect(screen.getByText('Expired')).toBeTruthy();
  expect(screen.getAllByText('pck_…ab12')).toHaveLength(3);
  expect(screen.queryByRole('button', { name: 'Revoke Old' })).toBeNull();
});

test('a new key is shown once, whole', async () => {
  const text = `pck_${'k'.repeat(45)}`;
  const { id, description, createdAt, expiresAt } = key();
  const create = vi.fn<ProjectKeysClient['create']>(async () => ({
    ...{ id, description, createdAt, expiresAt },
    texts: { publishableClientKey: text, secretServerKey: null, superSecretAdminKey: null },
  }));
  show({ list: async () => [key()], create });
  fireEvent.click(await screen.findByRole('button', { name: 'New key' }));
  fireEvent.change(await screen.findByLabelText('What is it for?'), { target: { value: 'Website' } });
  fireEvent.click(screen.getByRole('button', { name: 'Create key' }));
  expect(await screen.findByText(text)).toBeTruthy();
  expect(create).toHaveBeenCalledWith(
    expect.objectContaining({ description: 'Website', kinds: ['publishableClientKey', 'secretServerKey'] }),
  );
  fireEvent.click(screen.getByRole('button', { name: 'I have copied it' }));
  await waitFor(() => expect(screen.queryByText(text)).toBeNull());
});

test('revoking asks first', async () => {
  const revoke = vi.fn<ProjectKeysClient['revoke']>(async () => key());
  show({ list: async () => [key()], revoke });
  fireEvent.click(await screen.findByRole('button', { name: 'Revoke Website' }));
  expect(revoke).not.toHaveBeenCalled();
  fireEvent.click(await screen.findByRole('button', { name: 'Revoke key' }));
  await waitFor(() => expect(revoke).toHaveBeenCalledWith(key().id));
});
