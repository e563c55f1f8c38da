// @vitest-environment happy-dom

import { ReauthenticationRequiredError } from '@gatebook/js/errors';
import { fireEvent, screen } from '@testing-library/react';
import { describe, expect, test, vi } from 'vitest';
import { second, section, show } from '../testing/show-account.tsx';
import { answers, fill, press, rejected } from '../testing/show-page.tsx';
import { digitsOf } from './totp.ts';

/** A button does nothing until what it did before is all done. */
async function pressOnceFree(name: string): Promise<void> {
  fireEvent.click(await screen.findByRole('button', { name, busy: false }));
}

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
    const linkWithOAuth = rejected('OAUTH_PROVIDER_NOT_FOUND_OR_NOT_ENABLED');
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

describe('the password', () => {
  const enter = (old: string) => {
    fill('Current password', old);
    fill('New password', 'another horse');
    fill('Repeat the password', 'another horse');
  };

  test('is changed with the one until now, and a wrong one is said at its field', async () => {
    let isRight = false;
    const updatePassword = vi.fn(async () => {
      if (!isRight) await rejected('PASSWORD_CONFIRMATION_MISMATCH')();
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
    const registerPasskey = rejected('PASSKEY_WEBAUTHN_ERROR', { code: 'NotAllowedError' });
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

describe('a change that needs a more recent sign-in', () => {
  const tooOld = async () => {
    throw new ReauthenticationRequiredError('u', 401, 'Sign in again to do this.');
  };

  test('says so, and leads to the sign-in and back', async () => {
    const signOut = answers(undefined);
    const { went } = await show('#auth', {
      user: { isMultiFactorRequired: true },
      me: { update: tooOld },
      auth: { signOut },
    });
    await press('Switch the second factor off');
    await press('Switch it off');
    expect((await screen.findByRole('alert')).textContent).toContain('Sign in again to do this.');
    expect(went).toEqual([]);
    await press('Sign in again');
    await vi.waitFor(() => expect(went.at(-1)).toContain('after_auth_return_to=%2Fhandler%2Faccount-settings%23auth'));
    expect(signOut).toHaveBeenCalledOnce();
  });

  test('another failure offers no sign-in', async () => {
    await show('#auth', { user: { isMultiFactorRequired: true }, me: { update: rejected('USER_NOT_FOUND') } });
    await press('Switch the second factor off');
    await press('Switch it off');
    await screen.findByRole('alert');
    expect(screen.queryByRole('button', { name: 'Sign in again' })).toBeNull();
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
