// @vitest-environment happy-dom

import type { ApiKey } from '@gatebook/js/api-keys';
import { AnswerError } from '@gatebook/js/errors';
import type { UserSession } from '@gatebook/js/sessions';
import { act, fireEvent, screen, within } from '@testing-library/react';
import { describe, expect, test, vi } from 'vitest';
import { show } from '../testing/show-account.tsx';
import { answers, fill, press, rejected, showPage, title } from '../testing/show-page.tsx';

const session = (change: Partial<UserSession> = {}): UserSession => ({
  ...{ id: 's1', userId: 'u1', createdAt: new Date(0), lastUsedAt: null, isImpersonation: false },
  ...{ isCurrentSession: false, place: null },
  ...change,
});

describe('the account page', () => {
  test('is for somebody who is signed in, and is come back to', async () => {
    const { went } = showPage({ path: 'account-settings#auth' });
    await vi.waitFor(() =>
      expect(went).toEqual(['instead /handler/sign-in?after_auth_return_to=%2Fhandler%2Faccount-settings%23auth']),
    );
  });

  test('shows the tab that the address names, else the first', async () => {
    await show('');
    await screen.findByRole('heading', { level: 2, name: 'Profile' });
    expect(screen.getAllByRole('link').map(({ textContent }) => textContent)).toEqual([
      ...['Profile', 'E-mails and sign-in', 'Active sessions', 'Settings', 'Back to the site', 'All of your account'],
    ]);
    expect(document.activeElement).toBe(document.body);
    act(() => {
      location.hash = '#settings';
      dispatchEvent(new Event('hashchange'));
    });
    const heading = await screen.findByRole('heading', { level: 2, name: 'Settings' });
    expect(document.activeElement).toBe(heading);
    expect(screen.getByRole('link', { name: 'Settings' }).getAttribute('aria-current')).toBe('page');
    expect(document.title).toBe('Settings · Your account · Acme Shop');
  });

  test('offers what the project has switched on', async () => {
    const config = { credentialEnabled: false, magicLinkEnabled: false, allowUserApiKeys: true };
    await show('#auth', { config });
    expect((await screen.findAllByRole('heading', { level: 3 })).map(({ textContent }) => textContent)).toEqual([
      ...['E-mail addresses', 'Second factor'],
    ]);
    screen.getByRole('link', { name: 'API keys' });
  });

  test('says so when it cannot be loaded', async () => {
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
  test('takes another name', async () => {
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

  test('says what stands against it', async () => {
    await show('#profile', { me: { update: rejected('SCHEMA_ERROR') } });
    fill('Your name', 'Ann B.');
    await press('Save');
    expect((await screen.findByRole('alert')).textContent).toContain('SCHEMA_ERROR');
  });

  test('shows the picture, and loses it', async () => {
    const { update } = await show('#profile', { user: { profileImageUrl: 'https://img.example/ann.png' } });
    expect(document.querySelector('.gbh-avatar img')?.getAttribute('src')).toBe('https://img.example/ann.png');
    await press('Remove the picture');
    await vi.waitFor(() => expect(document.querySelector('.gbh-avatar')?.textContent).toBe('AN'));
    expect(update).toHaveBeenCalledExactlyOnceWith({ profileImageUrl: null });
  });

  test('rejects a file that is no picture', async () => {
    await show('#profile');
    const file = new File(['x'], 'notes.txt', { type: 'text/plain' });
    fireEvent.change(await screen.findByLabelText('Picture', { selector: 'input' }), { target: { files: [file] } });
    expect((await screen.findByRole('alert')).textContent).toContain('no picture');
  });
});

describe('sessions', () => {
  const place = { ip: '192.0.2.7', city: 'Malmö', country: 'SE' };

  test('say when and where, and this one stays', async () => {
    let list = [session({ isCurrentSession: true, place }), session({ id: 's2' }), session({ id: 's3' })];
    const revoke = vi.fn(async (id: string) => {
      list = list.filter((one) => one.id !== id);
    });
    await show('#sessions', { sessions: { list: async () => list, revoke } });
    const rows = await screen.findAllByRole('listitem');
    expect(rows[0]?.textContent).toMatch(/^This session Signed in .*Malmö, SE, 192\.0\.2\.7$/);
    expect(within(rows[0] as HTMLElement).queryByRole('button')).toBeNull();
    fireEvent.click(within(rows[1] as HTMLElement).getByRole('button'));
    await press('End it');
    await vi.waitFor(() => expect(screen.getAllByRole('listitem')).toHaveLength(2));
    expect(revoke.mock.calls).toEqual([['s2', 'me']]);
    expect(screen.queryByRole('button', { name: 'Sign out everywhere else' })).toBeNull();
  });

  test('all others end together, after a question', async () => {
    let list = ['s1', 's2', 's3'].map((id) => session({ id, isCurrentSession: id === 's1' }));
    const revoke = vi.fn(async (id: string) => {
      list = list.filter((one) => one.id !== id);
    });
    await show('#sessions', { sessions: { list: async () => list, revoke } });
    await press('Sign out everywhere else');
    await press('End them');
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
    ...{ id: 'k1', description: 'Laptop', isPublic: false, createdAt: new Date(0), lastFour: 'abcd' },
    ...{ expiresAt: null, manuallyRevokedAt: null },
    ...change,
  });

  test('are listed with those that work first, and revoked', async () => {
    const keys = [key({ id: 'k0', description: 'Old', manuallyRevokedAt: new Date(0) }), key({})];
    const revoke = answers(undefined);
    await show('#api-keys', { config, apiKeys: { list: async () => keys, revoke } });
    const rows = await screen.findAllByRole('listitem');
    expect(rows.map((row) => row.querySelector('.gbh-row-text span')?.textContent)).toEqual(['Laptop ', 'Old Revoked']);
    await press('Revoke Laptop');
    await press('Revoke it');
    await vi.waitFor(() => expect(revoke).toHaveBeenCalledExactlyOnceWith({ type: 'user', id: 'u1' }, 'k1'));
  });

  test('are made for a while, and shown once', async () => {
    vi.useFakeTimers({ now: 1_000, toFake: ['Date'] });
    const create = answers('uk_secret');
    await show('#api-keys', { config, apiKeys: { list: async () => [], create } });
    await press('Make a key');
    await press('Make the key');
    expect((await screen.findByRole('alert')).textContent).toBe('Enter what it is for');
    fill('What it is for', ' Script ');
    fill('Works for', '7 days');
    await press('Make the key');
    await screen.findByText('uk_secret');
    const expiresAt = new Date(1_000 + 7 * 86_400_000);
    expect(create.mock.calls).toEqual([
      [
        { type: 'user', id: 'u1' },
        { description: 'Script', expiresAt },
      ],
    ]);
    await press('I have copied it');
    expect(screen.queryByText('uk_secret')).toBeNull();
  });
});

describe('leaving', () => {
  test('deletes the account after a question, where the project allows it', async () => {
    const remove = answers(undefined);
    const config = { clientUserDeletionEnabled: true };
    const { went, invalidate } = await show('#settings', { config, me: { delete: remove } });
    await press('Delete my account');
    expect(remove).not.toHaveBeenCalled();
    await press('Delete it for good');
    await vi.waitFor(() => expect(went).toEqual(['/']));
    expect([remove.mock.calls.length, invalidate.mock.calls.length]).toEqual([1, 1]);
  });

  test('is signing out alone elsewhere', async () => {
    await show('#settings');
    expect(screen.getByRole('link', { name: 'Sign out' }).getAttribute('href')).toBe('/handler/sign-out');
    expect(screen.queryByRole('button', { name: 'Delete my account' })).toBeNull();
  });
});
