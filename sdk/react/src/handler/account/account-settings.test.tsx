// @vitest-environment happy-dom

import type { ApiKey, UserSession } from '@gatebook/js/core';
import { AnswerError } from '@gatebook/js/errors';
import { act, fireEvent, screen, within } from '@testing-library/react';
import { describe, expect, test, vi } from 'vitest';
import { show } from '../testing/show-account.tsx';
import { ann, answers, fill, press, rejected, showPage, title } from '../testing/show-page.tsx';

const session = (change: Partial<UserSession> = {}): UserSession => ({
  id: 's1',
  userId: 'u1',
  createdAt: new Date(0),
  lastUsedAt: null,
  isImpersonation: false,
  isCurrentSession: false,
  device: { browser: null, system: null },
  place: null,
  ...change,
});

describe('the account settings', () => {
  test('redirect signed-out users to sign-in and back', async () => {
    const { visited } = showPage({ path: 'account-settings#auth' });
    await vi.waitFor(() =>
      expect(visited).toEqual(['replace /handler/sign-in?after_auth_return_to=%2Fhandler%2Faccount-settings%23auth']),
    );
  });

  test('show the tab of the URL hash, or the first tab', async () => {
    await show('');
    await screen.findByRole('heading', { level: 2, name: 'Profile' });
    expect(screen.getAllByRole('link').map(({ textContent }) => textContent)).toEqual([
      'Profile',
      'Sign-in and security',
      'Active sessions',
      'Account',
      'Back to app',
      'All settings',
    ]);
    expect(document.activeElement).toBe(document.body);
    act(() => {
      location.hash = '#settings';
      dispatchEvent(new Event('hashchange'));
    });
    const heading = await screen.findByRole('heading', { level: 2, name: 'Account' });
    expect(document.activeElement).toBe(heading);
    expect(screen.getAllByRole('heading', { level: 2 })).toEqual([heading]);
    expect(screen.getByRole('link', { name: 'Account' }).getAttribute('aria-current')).toBe('page');
    expect(document.title).toBe('Account · Account settings · Acme Shop');
  });

  test('show what the project has enabled', async () => {
    const config = { credentialEnabled: false, magicLinkEnabled: false, allowUserApiKeys: true };
    await show('#auth', { config });
    expect((await screen.findAllByRole('heading', { level: 3 })).map(({ textContent }) => textContent)).toEqual([
      'Email addresses',
      'Two-factor authentication',
    ]);
    screen.getByRole('link', { name: 'API keys' });
  });

  test('show nothing of the user before after a sign-in in another tab', async () => {
    let name = 'ann';
    const list = vi.fn(async () => [session({ id: name, place: { ip: name, city: null, country: null } })]);
    const teams = { list: async () => [{ id: name, displayName: `Team of ${name}`, profileImageUrl: null }] };
    const { changeSession } = showPage({
      path: 'account-settings#sessions',
      user: () => ({ ...ann, id: name }),
      sessions: { list },
      teams,
    });
    await screen.findByText('ann');
    await screen.findByRole('link', { name: 'Team of ann' });
    name = 'bob';
    await changeSession();
    await screen.findByText('bob');
    await screen.findByRole('link', { name: 'Team of bob' });
    expect(document.body.textContent).not.toContain('ann');
    expect(list).toHaveBeenCalledTimes(2);
  });

  test('show an error if loading fails', async () => {
    showPage({
      path: 'account-settings',
      user: () => {
        throw new AnswerError('u', 500, '');
      },
    });
    await title('Something went wrong');
  });
});

describe('the profile', () => {
  test('changes the name', async () => {
    const { update } = await show('#profile');
    const save = await screen.findByRole('button', { name: 'Save' });
    fireEvent.click(save);
    expect(update).not.toHaveBeenCalled();
    fill('Your name', ' Ann B. ');
    fireEvent.click(save);
    await screen.findByText('Saved.');
    expect(update.mock.calls).toEqual([[{ displayName: 'Ann B.' }]]);
    fill('Your name', ' ');
    await press('Save');
    await vi.waitFor(() => expect(update).toHaveBeenLastCalledWith({ displayName: null }));
  });

  test('shows why saving failed', async () => {
    await show('#profile', { me: { update: rejected('SCHEMA_ERROR') } });
    fill('Your name', 'Ann B.');
    await press('Save');
    expect((await screen.findByRole('alert')).textContent).toContain('SCHEMA_ERROR');
  });

  test('shows the picture and removes it', async () => {
    const { update } = await show('#profile', { user: { profileImageUrl: 'https://img.example/ann.png' } });
    expect(document.querySelector('.gbh-avatar img')?.getAttribute('src')).toBe('https://img.example/ann.png');
    await press('Remove picture');
    await vi.waitFor(() => expect(document.querySelector('.gbh-avatar')?.textContent).toBe('AN'));
    expect(update).toHaveBeenCalledExactlyOnceWith({ profileImageUrl: null });
  });

  test('rejects a file that is not an image', async () => {
    await show('#profile');
    const file = new File(['x'], 'notes.txt', { type: 'text/plain' });
    fireEvent.change(await screen.findByLabelText('Profile picture', { selector: 'input' }), {
      target: { files: [file] },
    });
    expect((await screen.findByRole('alert')).textContent).toContain('as an image');
  });
});

describe('sessions', () => {
  const place = { ip: '192.0.2.7', city: 'Malmö', country: 'SE' };

  test('show device, time and place, and all but the current one can be ended', async () => {
    const device = { browser: 'Chrome', system: 'macOS' };
    let list = [session({ isCurrentSession: true, place, device }), session({ id: 's2' }), session({ id: 's3' })];
    const revoke = vi.fn(async (id: string) => {
      list = list.filter((one) => one.id !== id);
    });
    await show('#sessions', { sessions: { list: async () => list, revoke } });
    const rows = await screen.findAllByRole('listitem');
    expect(rows[0]?.textContent).toMatch(/^Chrome, macOS ?This session ?Signed in .*Malmö, SE, 192\.0\.2\.7$/);
    expect(rows[1]?.textContent).toMatch(/^Other session/);
    expect(within(rows[0] as HTMLElement).queryByRole('button')).toBeNull();
    fireEvent.click(within(rows[1] as HTMLElement).getByRole('button'));
    await press('Sign out');
    await vi.waitFor(() => expect(screen.getAllByRole('listitem')).toHaveLength(2));
    expect(revoke.mock.calls).toEqual([['s2', 'me']]);
    expect(screen.queryByRole('button', { name: 'Sign out everywhere else' })).toBeNull();
  });

  test('all other sessions are ended together after a confirmation', async () => {
    let list = ['s1', 's2', 's3'].map((id) => session({ id, isCurrentSession: id === 's1' }));
    const revoke = vi.fn(async (id: string) => {
      list = list.filter((one) => one.id !== id);
    });
    await show('#sessions', { sessions: { list: async () => list, revoke } });
    await press('Sign out everywhere else');
    await press('Sign out');
    await vi.waitFor(() => expect(screen.getAllByRole('listitem')).toHaveLength(1));
    expect(revoke.mock.calls).toEqual([
      ['s2', 'me'],
      ['s3', 'me'],
    ]);
  });
});

describe('API keys', () => {
  const config = { allowUserApiKeys: true };
  const key = (change: Partial<ApiKey>): ApiKey => ({
    id: 'k1',
    description: 'Laptop',
    isPublic: false,
    createdAt: new Date(0),
    lastFour: 'abcd',
    expiresAt: null,
    manuallyRevokedAt: null,
    ...change,
  });

  test('are listed with active ones first, and can be revoked', async () => {
    const keys = [key({ id: 'k0', description: 'Old', manuallyRevokedAt: new Date(0) }), key({})];
    const revoke = answers(undefined);
    await show('#api-keys', { config, apiKeys: { list: async () => keys, revoke } });
    const rows = await screen.findAllByRole('listitem');
    expect(rows.map((row) => row.querySelector('.gbh-row-text span')?.textContent)).toEqual(['Laptop ', 'Old Revoked']);
    await press('Revoke Laptop');
    await press('Revoke key');
    await vi.waitFor(() => expect(revoke).toHaveBeenCalledExactlyOnceWith({ type: 'user', id: 'u1' }, 'k1'));
  });

  test('are created with an expiration and shown once', async () => {
    vi.useFakeTimers({ now: 1_000, toFake: ['Date'] });
    const create = answers('uk_secret');
    await show('#api-keys', { config, apiKeys: { list: async () => [], create } });
    await press('Create API key');
    await press('Create key');
    expect((await screen.findByRole('alert')).textContent).toBe('Enter a name');
    fill('Name', ' Script ');
    fill('Expiration', '7 days');
    await press('Create key');
    await screen.findByText('uk_secret');
    const expiresAt = new Date(1_000 + 7 * 86_400_000);
    expect(create.mock.calls).toEqual([
      [
        { type: 'user', id: 'u1' },
        { description: 'Script', expiresAt },
      ],
    ]);
    await press("Done, I've saved it");
    expect(screen.queryByText('uk_secret')).toBeNull();
  });
});

describe('the account tab', () => {
  test('deletes the account after a confirmation, if the project allows it', async () => {
    const remove = answers(undefined);
    const config = { clientUserDeletionEnabled: true };
    const { visited, invalidate } = await show('#settings', { config, me: { delete: remove } });
    await press('Delete my account');
    expect(remove).not.toHaveBeenCalled();
    await press('Delete account');
    await vi.waitFor(() => expect(visited).toEqual(['/']));
    expect([remove.mock.calls.length, invalidate.mock.calls.length]).toEqual([1, 1]);
  });

  test('offers only sign-out if the project does not allow deletion', async () => {
    await show('#settings');
    expect(screen.getByRole('link', { name: 'Sign out' }).getAttribute('href')).toBe('/handler/sign-out');
    expect(screen.queryByRole('button', { name: 'Delete my account' })).toBeNull();
  });
});
