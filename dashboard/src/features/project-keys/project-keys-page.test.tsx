// @vitest-environment happy-dom
import type { NewProjectKey, ProjectKey, ProjectKeysClient } from '@gatebook/js/project-keys';
import { fireEvent, screen, within } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { never, open, renderPage } from '../../testing/render.tsx';
import { ProjectKeysPage } from './project-keys-page.tsx';

const day = 86_400_000;
const key = (change: Partial<ProjectKey> = {}): ProjectKey => ({
  id: 'k1',
  description: 'Website',
  createdAt: new Date(Date.now() - day),
  expiresAt: new Date(Date.now() + 30 * day),
  manuallyRevokedAt: null,
  lastFour: { publishableClientKey: 'ab12', secretServerKey: null, superSecretAdminKey: null },
  ...change,
});

function show(keys: Partial<ProjectKeysClient>) {
  const client: ProjectKeysClient = { list: never, create: never, describe: never, revoke: never, ...keys };
  return renderPage(<ProjectKeysPage keys={client} projectId="p1" projectName="Acme" apiUrl="http://gate.test" />);
}

test('loading', () => {
  show({ list: () => open<ProjectKey[]>().promise });
  expect(screen.getByRole('status', { name: 'Loading keys' })).toBeTruthy();
});

test('an error can be tried again', async () => {
  const list = vi.fn().mockRejectedValueOnce(new Error('broken')).mockResolvedValue([]);
  show({ list });
  await screen.findByText('broken');
  fireEvent.click(screen.getByRole('button', { name: 'Try again' }));
  expect(await screen.findByRole('heading', { name: 'No keys yet' })).toBeTruthy();
});

test('keys in use, revoked and expired are told apart; only good ones can be revoked', async () => {
  const old = new Date(Date.now() - day);
  show({
    list: async () => [
      key(),
      key({ id: 'k2', description: 'Old', manuallyRevokedAt: old }),
      key({ id: 'k3', description: 'Past', expiresAt: old }),
    ],
  });
  await screen.findByText('In use');
  expect(screen.getByText('Revoked')).toBeTruthy();
  expect(screen.getByText('Expired')).toBeTruthy();
  expect(screen.getAllByText('pck_…ab12')).toHaveLength(3);
  expect(screen.queryByRole('button', { name: 'Revoke Old' })).toBeNull();
});

test('a new key is shown once, whole', async () => {
  const made: NewProjectKey = {
    id: 'k9',
    description: 'Server',
    createdAt: new Date(),
    expiresAt: new Date(),
    texts: { publishableClientKey: null, secretServerKey: 'ssk_whole', superSecretAdminKey: null },
  };
  const create = vi.fn(async () => made);
  show({ list: async () => [key()], create });
  fireEvent.click(await screen.findByRole('button', { name: 'New key' }));
  const form = await screen.findByRole('dialog', { name: 'New key' });
  fireEvent.change(within(form).getByLabelText('What is it for?'), { target: { value: 'Server' } });
  fireEvent.click(within(form).getByRole('checkbox', { name: /Publishable/ }));
  fireEvent.click(within(form).getByRole('button', { name: 'Create key' }));
  const shown = await screen.findByRole('dialog', { name: 'Copy your new key now' });
  expect(within(shown).getByText('ssk_whole')).toBeTruthy();
  expect(create).toHaveBeenCalledWith(expect.objectContaining({ description: 'Server', kinds: ['secretServerKey'] }));
  fireEvent.click(within(shown).getByRole('button', { name: 'I have copied it' }));
  await vi.waitFor(() => expect(screen.queryByText('ssk_whole')).toBeNull());
});

test('the first steps of a project lead straight to the form', async () => {
  const keys: ProjectKeysClient = { list: async () => [], create: never, describe: never, revoke: never };
  renderPage(
    <ProjectKeysPage keys={keys} projectId="p1" projectName="Acme" apiUrl="http://gate.test" startsCreating />,
  );
  expect(await screen.findByRole('dialog', { name: 'New key' })).toBeTruthy();
});

test('a key without a kind is not made', async () => {
  show({ list: async () => [key()] });
  fireEvent.click(await screen.findByRole('button', { name: 'New key' }));
  const form = await screen.findByRole('dialog', { name: 'New key' });
  for (const box of within(form).getAllByRole('checkbox', { checked: true })) fireEvent.click(box);
  fireEvent.click(within(form).getByRole('button', { name: 'Create key' }));
  expect(await within(form).findByText('Choose at least one kind')).toBeTruthy();
});

test('revoking asks once more', async () => {
  const revoke = vi.fn(async () => key());
  show({ list: async () => [key()], revoke });
  fireEvent.click(await screen.findByRole('button', { name: 'Revoke Website' }));
  expect(revoke).not.toHaveBeenCalled();
  fireEvent.click(await screen.findByRole('button', { name: 'Revoke key' }));
  await vi.waitFor(() => expect(revoke).toHaveBeenCalledExactlyOnceWith('k1'));
});
