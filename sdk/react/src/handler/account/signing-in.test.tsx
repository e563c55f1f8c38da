// @vitest-environment happy-dom

import { ReauthenticationRequiredError } from '@gatebook/js/errors';
import { fireEvent, screen } from '@testing-library/react';
import { describe, expect, test, vi } from 'vitest';
import { second, section, show } from '../testing/show-account.tsx';
import { answers, fill, press, rejected } from '../testing/show-page.tsx';
import { digitsOf } from './totp.ts';

/** A busy button ignores clicks. */
async function pressOnceFree(name: string): Promise<void> {
  fireEvent.click(await screen.findByRole('button', { name, busy: false }));
}

describe('connected accounts', () => {
  const config = { oauthProviders: [{ id: 'google' }, { id: 'github' }, { id: 'x' }] };
  const linked = [
    { id: 'github', accountId: '58', email: 'ann@work.example' },
    { id: 'gitlab', accountId: '31', email: null },
  ];

  test("are listed, and the project's other providers can be linked", async () => {
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

  test('show why the redirect failed', async () => {
    const linkWithOAuth = rejected('OAUTH_PROVIDER_NOT_FOUND_OR_NOT_ENABLED');
    await show('#auth', { config, oauth: { linkWithOAuth } });
    await press('Link Google');
    expect((await screen.findByRole('alert')).textContent).toBe('Google is not available right now.');
  });

  test('are not shown without providers', async () => {
    await show('#auth');
    await section('Email addresses');
    expect(screen.queryByRole('region', { name: 'Connected accounts' })).toBeNull();
  });
});

describe('the password', () => {
  const enter = (old: string) => {
    fill('Current password', old);
    fill('New password', 'another horse');
    fill('Repeat password', 'another horse');
  };

  test('is changed with the current password, and a wrong one is shown at its field', async () => {
    let isRight = false;
    const updatePassword = vi.fn(async () => {
      if (!isRight) await rejected('PASSWORD_CONFIRMATION_MISMATCH')();
    });
    await show('#auth', { auth: { updatePassword } });
    await press('Change password');
    await press('Save password');
    expect((await screen.findAllByRole('alert')).map(({ textContent }) => textContent)).toEqual([
      'Enter your current password',
      'Use at least 8 characters',
    ]);
    enter('wrong horse');
    await press('Save password');
    expect((await screen.findByRole('alert')).textContent).toContain('Wrong password');
    expect(document.activeElement).toBe(screen.getByLabelText('Current password'));
    isRight = true;
    enter('right horse');
    await press('Save password');
    await screen.findByText('Password changed.');
    expect(updatePassword).toHaveBeenLastCalledWith({ oldPassword: 'right horse', newPassword: 'another horse' });
  });

  test('is set by a user without a password', async () => {
    const setPassword = answers(undefined);
    await show('#auth', { user: { hasPassword: false }, auth: { setPassword } });
    await press('Set password');
    fill('New password', 'another horse');
    fill('Repeat password', 'another horse');
    await press('Save password');
    await screen.findByText('Password changed.');
    expect(setPassword).toHaveBeenCalledExactlyOnceWith({ password: 'another horse' });
  });

  test('needs an email address for sign-in', async () => {
    await show('#auth', { channels: { list: async () => [second] } });
    await screen.findByText(/Add an email address for sign-in first/);
    expect(screen.queryByRole('button', { name: 'Change password' })).toBeNull();
  });
});

describe('sign-in methods', () => {
  const config = { passkeyEnabled: true };

  test('a passkey can be added if the browser supports it', async () => {
    vi.stubGlobal('PublicKeyCredential', () => {});
    const registerPasskey = answers(undefined);
    await show('#auth', { config, auth: { registerPasskey } });
    await press('Add passkey');
    await vi.waitFor(() => expect(registerPasskey).toHaveBeenCalledOnce());
  });

  test('a canceled passkey request shows a readable error', async () => {
    vi.stubGlobal('PublicKeyCredential', () => {});
    const registerPasskey = rejected('PASSKEY_WEBAUTHN_ERROR', { code: 'NotAllowedError' });
    await show('#auth', { config, auth: { registerPasskey } });
    await press('Add passkey');
    expect((await screen.findByRole('alert')).textContent).toContain('canceled');
  });

  test('the only sign-in method cannot be removed', async () => {
    const none = { hasPassword: false, otpAuthEnabled: false, oauthProviders: [] };
    await show('#auth', { config, user: { ...none, passkeyAuthEnabled: true } });
    await screen.findByText(/only sign-in method/);
    expect(screen.queryByRole('button', { name: 'Remove passkey' })).toBeNull();
  });

  test('a passkey can be removed if there is another sign-in method', async () => {
    const { update } = await show('#auth', { config, user: { passkeyAuthEnabled: true } });
    await press('Remove passkey');
    await press('Remove passkey');
    await screen.findByText(/does not support passkeys/);
    expect(update).toHaveBeenCalledExactlyOnceWith({ passkeyAuthEnabled: false });
  });

  test('email codes are turned off and on', async () => {
    const { update } = await show('#auth');
    await press('Turn off email codes');
    await pressOnceFree('Turn on email codes');
    await screen.findByRole('button', { name: 'Turn off email codes' });
    expect(update.mock.calls).toEqual([[{ otpAuthEnabled: false }], [{ otpAuthEnabled: true }]]);
  });
});

describe('a change that requires a recent sign-in', () => {
  const tooOld = async () => {
    throw new ReauthenticationRequiredError('u', 401, 'Sign in again to do this.');
  };

  test('shows the error and signs in again with a return target', async () => {
    const signOut = answers(undefined);
    const { visited } = await show('#auth', {
      user: { isMultiFactorRequired: true },
      me: { update: tooOld },
      auth: { signOut },
    });
    await press('Turn off two-factor authentication');
    await press('Turn off');
    expect((await screen.findByRole('alert')).textContent).toContain('Sign in again to do this.');
    expect(visited).toEqual([]);
    await press('Sign in again');
    await vi.waitFor(() =>
      expect(visited.at(-1)).toContain('after_auth_return_to=%2Fhandler%2Faccount-settings%23auth'),
    );
    expect(signOut).toHaveBeenCalledOnce();
  });

  test('another error does not offer to sign in again', async () => {
    await show('#auth', { user: { isMultiFactorRequired: true }, me: { update: rejected('USER_NOT_FOUND') } });
    await press('Turn off two-factor authentication');
    await press('Turn off');
    await screen.findByRole('alert');
    expect(screen.queryByRole('button', { name: 'Sign in again' })).toBeNull();
  });
});

describe('second factor', () => {
  test('is enabled after a correct code and can be turned off', async () => {
    const bytes = Uint8Array.from({ length: 20 }, (_, place) => place);
    vi.spyOn(crypto, 'getRandomValues').mockImplementation((into) => {
      (into as unknown as Uint8Array).set(bytes);
      return into;
    });
    const { update } = await show('#auth');
    await press('Set up two-factor authentication');
    screen.getByRole('img', { name: 'QR code of the key' });
    screen.getByText('AAAQ EAYE AUDA OCAJ BIFQ YDIO B4IB CEQT');
    const right = await digitsOf(bytes, Date.now());
    fill('Code from the app', right === '000000' ? '111111' : '000000');
    expect((await screen.findByRole('alert')).textContent).toContain('Incorrect code');
    expect(update).not.toHaveBeenCalled();
    fill('Code from the app', await digitsOf(bytes, Date.now()));
    await screen.findByRole('button', { name: 'Turn off two-factor authentication' });
    expect(update.mock.calls).toEqual([[{ totpSecret: bytes }]]);
    await press('Turn off two-factor authentication');
    await press('Turn off');
    await screen.findByRole('button', { name: 'Set up two-factor authentication' });
    expect(update).toHaveBeenLastCalledWith({ totpSecret: null });
  });
});
