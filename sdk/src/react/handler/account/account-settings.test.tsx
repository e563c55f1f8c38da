// @vitest-environment happy-dom
import { act, configure, fireEvent, screen, within } from '@testing-library/react';
import { afterEach, describe, expect, test, vi } from 'vitest';
import type { ApiKey } from '../../../api-keys.ts';
import type { ContactChannel } from '../../../contact-channels.ts';
import { AnswerError } from '../../../errors.ts';
import type { UserSession } from '../../../sessions.ts';
import type { CurrentUser, OwnChanges } from '../../../users.ts';
import { ann, answers, type Fake, fill, press, refused, showPage, title } from '../testing/show-page.tsx';
import { digitsOf } from './totp.ts';

/** What is saved is shown after a fetch, of which one begins in 300 ms. */
configure({ asyncUtilTimeout: 5_000 });

const channel = (change: Partial<ContactChannel> = {}): ContactChannel => ({
  ...{ id: 'c1', userId: 'u1', value: 'ann@example.com', isPrimary: true, isVerified: true, usedForAuth: true },
  ...change,
});
const second = channel({ id: 'c2', value: 'two@example.com', isPrimary: false, usedForAuth: false });
const fresh = channel({ id: 'c3', value: 'new@example.com', isPrimary: false, usedForAuth: false, isVerified: false });
const session = (change: Partial<UserSession> = {}): UserSession => ({
  ...{ id: 's1', userId: 'u1', createdAt: new Date(0), lastUsedAt: null, isImpersonation: false },
  ...{ isCurrentSession: false, place: null },
  ...change,
});

/** Shows a tab for Ann; what is saved of her is what is shown from then on. */
async function show(
  tab: string,
  { user = {}, ...fake }: Omit<Partial<Fake>, 'user'> & { user?: Partial<CurrentUser> } = {},
) {
  let current: CurrentUser = { ...ann, ...user };
  const update = vi.fn(async ({ totpSecret, ...changes }: OwnChanges) => {
    current = {
      ...current,
      ...changes,
      ...(totpSecret !== undefined && { isMultiFactorRequired: totpSecret !== null }),
    };
    return current;
  });
  const shown = showPage({
    path: `account-settings${tab}`,
    user: () => current,
    ...fake,
    me: { update, ...fake.me },
    channels: { list: async () => [channel()], ...fake.channels },
  });
  await title('Your account');
  return { ...shown, update };
}
const disabled = (name: string) => screen.getByRole('button', { name }).getAttribute('aria-disabled');
/** A button does nothing until what it did before is all done. */
async function pressOnceFree(name: string): Promise<void> {
  fireEvent.click(await screen.findByRole('button', { name, busy: false }));
}
const section = async (name: string) => within(await screen.findByRole('region', { name }));

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
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
    await show('#profile', { me: { update: refused('SCHEMA_ERROR') } });
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

  test('refuses a file that is no picture', async () => {
    await show('#profile');
    const file = new File(['x'], 'notes.txt', { type: 'text/plain' });
    fireEvent.change(await screen.findByLabelText('Picture', { selector: 'input' }), { target: { files: [file] } });
    expect((await screen.findByRole('alert')).textContent).toContain('no picture');
  });
});

describe('connected accounts', () => {
  const config = { oauthProviders: [{ id: 'google' }, { id: 'github' }, { id: 'x' }] };
  const linked = [
    { id: 'github', accountId: '58', email: 'ann@work.example' },
    { id: 'gitlab', accountId: '31', email: null },
  ];

  test('are listed, and those that are not there yet can be linked', async () => {
    const linkWithOAuth = vi.fn(() => new Promise<never>(() => {}));
    await show('#auth', { config, user: { oauthProviders: linked }, oauth: { linkWithOAuth } });
    const { getAllByRole, getByRole } = await section('Connected accounts');
    expect(getAllByRole('listitem').map(({ textContent }) => textContent?.replace(/\s+/g, ' '))).toEqual([
      'GitHub ann@work.example',
      'GitLab Account 31',
    ]);
    expect(getAllByRole('button').map(({ textContent }) => textContent)).toEqual(['Link Google', 'Link X']);
    fireEvent.click(getByRole('button', { name: 'Link X' }));
    fireEvent.click(getByRole('button', { name: 'Link Google' }));
    expect(linkWithOAuth.mock.calls).toEqual([['x']]);
    expect(getByRole('button', { name: 'Link X' }).getAttribute('aria-busy')).toBe('true');
  });

  test('say why the page was not left', async () => {
    const linkWithOAuth = refused('OAUTH_PROVIDER_NOT_FOUND_OR_NOT_ENABLED');
    await show('#auth', { config, oauth: { linkWithOAuth } });
    await press('Link Google');
    expect((await screen.findByRole('alert')).textContent).toBe('Google cannot be used here at the moment.');
  });

  test('are nothing to speak of without any provider', async () => {
    await show('#auth');
    await section('E-mail addresses');
    expect(screen.queryByRole('region', { name: 'Connected accounts' })).toBeNull();
  });
});

describe('addresses', () => {
  test('say what they are, the primary one first, and the last that signs in stays', async () => {
    await show('#auth', { channels: { list: async () => [fresh, second, channel()] } });
    const { findAllByRole } = await section('E-mail addresses');
    const rows = await findAllByRole('listitem');
    expect(rows.map((row) => row.querySelector('.gbh-row-text')?.textContent)).toEqual([
      'ann@example.com PrimarySigns in',
      'two@example.com ',
      'new@example.com Not verified',
    ]);
    expect(
      rows.map((row) => [...row.querySelectorAll('button')].map((button) => button.getAttribute('aria-label'))),
    ).toEqual([
      [],
      ['Make two@example.com the primary address', 'Sign in with two@example.com', 'Remove two@example.com'],
      ['Mail a link to verify new@example.com', 'Remove new@example.com'],
    ]);
  });

  test('are verified by mail, made primary, and used for signing in', async () => {
    const sendVerification = answers(undefined);
    const update = answers(second);
    await show('#auth', { channels: { list: async () => [channel(), second, fresh], sendVerification, update } });
    await press('Mail a link to verify new@example.com');
    await screen.findByText(/on its way/);
    expect(sendVerification).toHaveBeenCalledExactlyOnceWith(fresh, `${location.origin}/handler/email-verification`);
    await press('Make two@example.com the primary address');
    await vi.waitFor(() => expect(update.mock.calls).toEqual([[second, { isPrimary: true }]]));
    await vi.waitFor(() => expect(disabled('Sign in with two@example.com')).toBe('false'));
    await press('Sign in with two@example.com');
    await vi.waitFor(() => expect(update).toHaveBeenLastCalledWith(second, { usedForAuth: true }));
  });

  test('that somebody else signs in with say so', async () => {
    const update = refused('CONTACT_CHANNEL_ALREADY_USED_FOR_AUTH_BY_SOMEONE_ELSE');
    await show('#auth', { channels: { list: async () => [channel(), second], update } });
    await press('Sign in with two@example.com');
    expect((await screen.findByRole('alert')).textContent).toContain('Somebody else');
  });

  test('are removed after a question, which takes the focus and gives it back', async () => {
    let list = [channel(), second];
    const remove = vi.fn(async (gone: ContactChannel) => {
      list = list.filter(({ id }) => id !== gone.id);
    });
    await show('#auth', { channels: { list: async () => list, delete: remove } });
    await press('Remove two@example.com');
    expect(document.activeElement?.textContent).toBe('Remove two@example.com from your account?');
    await press('Cancel');
    expect(document.activeElement?.getAttribute('aria-label')).toBe('Remove two@example.com');
    expect(remove).not.toHaveBeenCalled();
    await press('Remove two@example.com');
    await press('Remove it');
    await vi.waitFor(() => expect(screen.queryByText('two@example.com')).toBeNull());
    expect(remove).toHaveBeenCalledExactlyOnceWith(second);
  });

  test('are added once, whole, and with a mail', async () => {
    let list = [channel()];
    const create = vi.fn(async () => {
      list = [...list, fresh];
      return fresh;
    });
    const sendVerification = answers(undefined);
    await show('#auth', { channels: { list: async () => list, create, sendVerification } });
    await screen.findByText('ann@example.com');
    for (const [typed, fault] of [
      ['ANN@example.com', 'already'],
      ['ann', 'whole e-mail address'],
    ] as const) {
      fill('Another address', typed);
      await press('Add the address');
      expect((await screen.findByRole('alert')).textContent).toContain(fault);
    }
    fill('Another address', ' new@example.com ');
    await press('Add the address');
    await screen.findByText('A mail to verify new@example.com is on its way.');
    expect(create).toHaveBeenCalledExactlyOnceWith('me', { value: 'new@example.com', usedForAuth: false });
    expect(sendVerification).toHaveBeenCalledOnce();
  });

  test('can be asked for again after a failure', async () => {
    let isDown = true;
    const list = async () => {
      if (isDown) throw new AnswerError('u', 500, '');
      return [channel()];
    };
    await show('#auth', { channels: { list } });
    await screen.findByRole('alert');
    isDown = false;
    await press('Try again');
    await screen.findByText('ann@example.com');
    await vi.waitFor(() => expect(screen.queryByRole('alert')).toBeNull());
  });
});

describe('the password', () => {
  const enter = (old: string) => {
    fill('Current password', old);
    fill('New password', 'another horse');
    fill('Repeat the password', 'another horse');
  };

  test('is changed with the one until now, and a wrong one is said at its field', async () => {
    let isRight = false;
    const updatePassword = vi.fn(async () => {
      if (!isRight) await refused('PASSWORD_CONFIRMATION_MISMATCH')();
    });
    await show('#auth', { auth: { updatePassword } });
    await press('Change the password');
    await press('Save the password');
    expect((await screen.findAllByRole('alert')).map(({ textContent }) => textContent)).toEqual([
      'Enter your current password',
      'Use at least 8 characters',
    ]);
    enter('wrong horse');
    await press('Save the password');
    expect((await screen.findByRole('alert')).textContent).toContain('not your current');
    expect(document.activeElement).toBe(screen.getByLabelText('Current password'));
    isRight = true;
    enter('right horse');
    await press('Save the password');
    await screen.findByText('Your password is changed.');
    expect(updatePassword).toHaveBeenLastCalledWith({ oldPassword: 'right horse', newPassword: 'another horse' });
  });

  test('is set by somebody who has none', async () => {
    const setPassword = answers(undefined);
    await show('#auth', { user: { hasPassword: false }, auth: { setPassword } });
    await press('Set a password');
    fill('New password', 'another horse');
    fill('Repeat the password', 'another horse');
    await press('Save the password');
    await screen.findByText('Your password is changed.');
    expect(setPassword).toHaveBeenCalledExactlyOnceWith({ password: 'another horse' });
  });

  test('needs an address that signs in', async () => {
    await show('#auth', { channels: { list: async () => [second] } });
    await screen.findByText(/needs an e-mail address/);
    expect(screen.queryByRole('button', { name: 'Change the password' })).toBeNull();
  });
});

describe('ways to sign in', () => {
  const config = { passkeyEnabled: true };

  test('a passkey is added, where the browser has them', async () => {
    vi.stubGlobal('PublicKeyCredential', () => {});
    const registerPasskey = answers(undefined);
    await show('#auth', { config, auth: { registerPasskey } });
    await press('Add a passkey');
    await vi.waitFor(() => expect(registerPasskey).toHaveBeenCalledOnce());
  });

  test('a passkey that was cancelled is said in words', async () => {
    vi.stubGlobal('PublicKeyCredential', () => {});
    const registerPasskey = refused('PASSKEY_WEBAUTHN_ERROR', { code: 'NotAllowedError' });
    await show('#auth', { config, auth: { registerPasskey } });
    await press('Add a passkey');
    expect((await screen.findByRole('alert')).textContent).toContain('cancelled');
  });

  test('the only way stays', async () => {
    const none = { hasPassword: false, otpAuthEnabled: false, oauthProviders: [] };
    await show('#auth', { config, user: { ...none, passkeyAuthEnabled: true } });
    await screen.findByText(/only way/);
    expect(screen.queryByRole('button', { name: 'Remove the passkey' })).toBeNull();
  });

  test('a passkey beside another way is removed', async () => {
    const { update } = await show('#auth', { config, user: { passkeyAuthEnabled: true } });
    await press('Remove the passkey');
    await press('Remove it');
    await screen.findByText(/Your browser has none/);
    expect(update).toHaveBeenCalledExactlyOnceWith({ passkeyAuthEnabled: false });
  });

  test('codes by mail are switched off and on', async () => {
    const { update } = await show('#auth');
    await press('Switch codes off');
    await pressOnceFree('Switch codes on');
    await screen.findByRole('button', { name: 'Switch codes off' });
    expect(update.mock.calls).toEqual([[{ otpAuthEnabled: false }], [{ otpAuthEnabled: true }]]);
  });
});

describe('the second factor', () => {
  test('is on once a code of the app has shown that the app has the secret', async () => {
    const bytes = Uint8Array.from({ length: 20 }, (_, place) => place);
    vi.spyOn(crypto, 'getRandomValues').mockImplementation((into) => {
      (into as unknown as Uint8Array).set(bytes);
      return into;
    });
    const { update } = await show('#auth');
    await press('Set up a second factor');
    screen.getByRole('img', { name: 'The key as a picture' });
    screen.getByText('AAAQ EAYE AUDA OCAJ BIFQ YDIO B4IB CEQT');
    const right = await digitsOf(bytes, Date.now());
    fill('Code that the app shows now', right === '000000' ? '111111' : '000000');
    expect((await screen.findByRole('alert')).textContent).toContain('is not right');
    expect(update).not.toHaveBeenCalled();
    fill('Code that the app shows now', await digitsOf(bytes, Date.now()));
    await screen.findByRole('button', { name: 'Switch the second factor off' });
    expect(update.mock.calls).toEqual([[{ totpSecret: bytes }]]);
    await press('Switch the second factor off');
    await press('Switch it off');
    await screen.findByRole('button', { name: 'Set up a second factor' });
    expect(update).toHaveBeenLastCalledWith({ totpSecret: null });
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
