// @vitest-environment happy-dom
import type { NewProjectKey, ProjectKey, ProjectKeysClient } from '@gatebook/js/admin';
import { fireEvent, screen, within } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { MomentContext } from '../../lib/moment.ts';
import { noAudit } from '../../testing/clients.ts';
import { never, pending, renderPage } from '../../testing/render.tsx';
import { ProjectKeysPage } from './project-keys-page.tsx';

const day = 86_400_000;
const key = (change: Partial<ProjectKey> = {}): ProjectKey => ({
  id: 'k1',
  description: 'Website',
  createdAt: new Date(Date.now() - day),
  expiresAt: new Date(Date.now() + 30 * day),
  manuallyRevokedAt: null,
  lastUsedAt: null,
  lastFour: { publishableClientKey: 'ab12', secretServerKey: null, superSecretAdminKey: null },
  ...change,
});

function show(keys: Partial<ProjectKeysClient>, moment: string | null = null) {
  const client: ProjectKeysClient = {
    list: never,
    create: never,
    rotate: never,
    describe: never,
    revoke: never,
    findFirstRequest: never,
    ...keys,
  };
  return renderPage(
    <MomentContext value={{ value: moment, set: () => {} }}>
      <ProjectKeysPage keys={client} audit={noAudit} projectId="p1" projectName="Acme" apiUrl="http://gatebook.test" />
    </MomentContext>,
  );
}

test('shows a loading state', () => {
  show({ list: () => pending<ProjectKey[]>() });
  expect(screen.getByRole('status', { name: 'Loading keys' })).toBeTruthy();
});

test('a failed load can be retried', async () => {
  const list = vi.fn().mockRejectedValueOnce(new Error('broken')).mockResolvedValue([]);
  show({ list });
  await screen.findByText('broken');
  fireEvent.click(screen.getByRole('button', { name: 'Try again' }));
  expect(await screen.findByRole('heading', { name: 'No keys yet' })).toBeTruthy();
});

test('active, revoked and expired project keys have different statuses, and revoked ones cannot be revoked again', async () => {
  const old = new Date(Date.now() - day);
  show({
    list: async () => [
      key({ expiresAt: new Date(Date.now() + 300 * day) }),
      key({ id: 'k2', description: 'Old', manuallyRevokedAt: old }),
      key({ id: 'k3', description: 'Past', expiresAt: old }),
    ],
  });
  await screen.findByText('Active');
  expect(screen.getByText('Revoked')).toBeTruthy();
  expect(screen.getByText('Expired')).toBeTruthy();
  expect(screen.getAllByText('pck_…ab12')).toHaveLength(3);
  expect(screen.queryByRole('button', { name: 'Revoke Old' })).toBeNull();
});

test('a new project key is shown in full once', async () => {
  const created: NewProjectKey = {
    id: 'k9',
    description: 'Server',
    createdAt: new Date(),
    expiresAt: new Date(),
    texts: { publishableClientKey: null, secretServerKey: 'ssk_secret', superSecretAdminKey: null },
  };
  const create = vi.fn(async () => created);
  show({ list: async () => [key()], create });
  fireEvent.click(await screen.findByRole('button', { name: 'Create key' }));
  const form = await screen.findByRole('dialog', { name: 'Create key' });
  fireEvent.change(within(form).getByLabelText('Name'), { target: { value: 'Server' } });
  fireEvent.click(within(form).getByRole('checkbox', { name: /Publishable/ }));
  fireEvent.click(within(form).getByRole('button', { name: 'Create key' }));
  const shown = await screen.findByRole('dialog', { name: 'Save your key' });
  expect(within(shown).getByText('ssk_secret')).toBeTruthy();
  expect(create).toHaveBeenCalledWith(expect.objectContaining({ description: 'Server', kinds: ['secretServerKey'] }));
  fireEvent.click(within(shown).getByRole('button', { name: 'Done, I’ve saved it' }));
  await vi.waitFor(() => expect(screen.queryByText('ssk_secret')).toBeNull());
});

test('the setup steps of a project open the create dialog directly', async () => {
  const keys: ProjectKeysClient = {
    list: async () => [],
    create: never,
    rotate: never,
    describe: never,
    revoke: never,
    findFirstRequest: never,
  };
  renderPage(
    <ProjectKeysPage
      keys={keys}
      audit={noAudit}
      projectId="p1"
      projectName="Acme"
      apiUrl="http://gatebook.test"
      startsCreating
    />,
  );
  expect(await screen.findByRole('dialog', { name: 'Create key' })).toBeTruthy();
});

test('a project key needs at least one key type', async () => {
  show({ list: async () => [key()] });
  fireEvent.click(await screen.findByRole('button', { name: 'Create key' }));
  const form = await screen.findByRole('dialog', { name: 'Create key' });
  for (const box of within(form).getAllByRole('checkbox', { checked: true })) fireEvent.click(box);
  fireEvent.click(within(form).getByRole('button', { name: 'Create key' }));
  expect(await within(form).findByText('Select at least one key type')).toBeTruthy();
});

test('a project key is revoked after confirmation', async () => {
  const revoke = vi.fn(async () => key());
  show({ list: async () => [key()], revoke });
  fireEvent.click(await screen.findByRole('button', { name: 'Revoke Website' }));
  expect(revoke).not.toHaveBeenCalled();
  fireEvent.click(await screen.findByRole('button', { name: 'Revoke key' }));
  await vi.waitFor(() => expect(revoke).toHaveBeenCalledExactlyOnceWith('k1'));
});

test('a project key that expires soon says so, and when it was last used', async () => {
  const fresh = key({ id: 'k2', description: 'New', lastUsedAt: new Date(Date.now() - day) });
  show({ list: async () => [key(), { ...fresh, expiresAt: new Date(Date.now() + 300 * day) }] });
  expect(await screen.findAllByText('Expires soon')).toHaveLength(1);
  expect(screen.getByText('never used')).toBeTruthy();
  expect(screen.getByText(/^last used/)).toBeTruthy();
});

test('a project key is rotated with a time in which both work', async () => {
  const created: NewProjectKey = {
    id: 'k9',
    description: 'Website',
    createdAt: new Date(),
    expiresAt: new Date(),
    texts: { publishableClientKey: 'pck_new', secretServerKey: null, superSecretAdminKey: null },
  };
  const rotate = vi.fn<ProjectKeysClient['rotate']>(async () => created);
  show({ list: async () => [key()], rotate });
  fireEvent.click(await screen.findByRole('button', { name: 'Rotate Website' }));
  const form = await screen.findByRole('dialog', { name: 'Rotate key' });
  fireEvent.change(within(form).getByLabelText('Old keys stop working'), { target: { value: '1' } });
  fireEvent.click(within(form).getByRole('button', { name: 'Rotate key' }));
  expect(await screen.findByText('pck_new')).toBeTruthy();
  const [keyId, { expiresAt, oldExpiresAt }] = rotate.mock.calls[0] ?? ['', { expiresAt: 0, oldExpiresAt: 0 }];
  expect(keyId).toBe('k1');
  expect(Number(expiresAt) - Number(oldExpiresAt)).toBe(364 * day);
});

test('an empty list of the past does not offer to create a key', async () => {
  show({ list: async () => [] }, '1');
  const title = await screen.findByRole('heading', { name: 'No keys at this time' });
  expect(title.parentElement?.textContent).toBe('No keys at this time');
});
