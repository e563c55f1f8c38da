// @vitest-environment happy-dom

import { fireEvent, screen, within } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { annId, sampleUser } from '../../testing/samples.ts';
import { sampleSession, showUserPage } from './testing/user-page.tsx';

const account = { id: 'google', accountId: 'g1', email: null };
const withCredentials = sampleUser({
  passkeyAuthEnabled: true,
  isMultiFactorRequired: true,
  otpAuthEnabled: true,
  oauthProviders: [account],
});

test('connected accounts are listed with provider, email and account ID', async () => {
  const oauthProviders = [
    { id: 'github', accountId: '5831', email: 'ann@work.example' },
    { id: 'x', accountId: '77', email: null },
  ];
  showUserPage({ users: { find: async () => sampleUser({ oauthProviders }) } });
  const accounts = await screen.findByRole('region', { name: 'Connected accounts' });
  expect(
    within(accounts)
      .getAllByRole('listitem')
      .map(({ textContent }) => textContent),
  ).toEqual(['GitHubann@work.example · account 5831', 'XNo email · account 77']);
  expect(screen.getByRole('region', { name: 'Profile' }).textContent).toContain('Password, GitHub, X');
});

test('a user without connected accounts has an empty state', async () => {
  showUserPage();
  const accounts = await screen.findByRole('region', { name: 'Connected accounts' });
  expect(accounts.textContent).toContain('No connected accounts');
});

test.each([
  ['Remove password', { password: null }],
  ['Turn off', { otpAuthEnabled: false }],
  ['Remove passkey', { passkeyAuthEnabled: false }],
  ['Reset two-factor', { totpSecret: null }],
])('“%s” removes a credential after confirmation', async (name, changes) => {
  const update = vi.fn(async () => withCredentials);
  showUserPage({ users: { find: async () => withCredentials, update, listAccounts: async () => [] } });
  fireEvent.click(await screen.findByRole('button', { name }));
  fireEvent.click(within(await screen.findByRole('dialog')).getByRole('button', { name }));
  await vi.waitFor(() => expect(update).toHaveBeenCalledExactlyOnceWith(annId, changes));
});

test('an account at a provider is unlinked', async () => {
  const unlinkAccount = vi.fn(async () => {});
  const listAccounts = async () => [{ id: 'a9', providerId: 'google', accountId: 'g1', email: null }];
  showUserPage({ users: { find: async () => withCredentials, listAccounts, unlinkAccount } });
  fireEvent.click(await screen.findByRole('button', { name: 'Unlink' }));
  fireEvent.click(await screen.findByRole('button', { name: 'Unlink account' }));
  await vi.waitFor(() => expect(unlinkAccount).toHaveBeenCalledExactlyOnceWith(annId, 'a9'));
});

test('a session is revoked after confirmation, and errors are shown', async () => {
  const revoke = vi.fn().mockRejectedValueOnce(new Error('not now')).mockResolvedValue(undefined);
  showUserPage({ sessions: { revoke } });
  fireEvent.click(await screen.findByRole('button', { name: 'Sign out Chrome on macOS' }));
  const dialog = await screen.findByRole('dialog', { name: 'Sign out this session?' });
  fireEvent.click(within(dialog).getByRole('button', { name: 'Sign out' }));
  expect(await within(dialog).findByText('not now')).toBeTruthy();
  fireEvent.click(within(dialog).getByRole('button', { name: 'Sign out' }));
  await vi.waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  expect(revoke).toHaveBeenLastCalledWith('s1', annId);
});

test('sessions are shown page by page', async () => {
  const listPage = vi.fn(async (_: string, { cursor }: { cursor?: string | null }) =>
    cursor
      ? { items: [{ ...sampleSession, id: 's2', device: { browser: null, system: null } }], nextCursor: null }
      : { items: [sampleSession], nextCursor: 'c2' },
  );
  showUserPage({ sessions: { listPage } });
  const card = within(await screen.findByRole('region', { name: 'Sessions' }));
  fireEvent.click(await card.findByRole('button', { name: 'Next' }));
  expect(await card.findByText('Unknown device')).toBeTruthy();
  expect(card.queryByText('Chrome on macOS')).toBeNull();
  fireEvent.click(card.getByRole('button', { name: 'Previous' }));
  expect(await card.findByText('Chrome on macOS')).toBeTruthy();
  expect(listPage).toHaveBeenCalledWith(annId, { cursor: 'c2', limit: 10 });
});

test('the user is signed out everywhere', async () => {
  const revokeAll = vi.fn(async () => 1);
  showUserPage({ sessions: { revokeAll } });
  fireEvent.click(await screen.findByRole('button', { name: 'Sign out everywhere' }));
  const dialog = await screen.findByRole('dialog', { name: 'Sign out everywhere?' });
  fireEvent.click(within(dialog).getByRole('button', { name: 'Sign out everywhere' }));
  await vi.waitFor(() => expect(revokeAll).toHaveBeenCalledExactlyOnceWith(annId));
});
