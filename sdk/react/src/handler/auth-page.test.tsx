// @vitest-environment happy-dom

import { AnswerError, KnownError } from '@gatebook/js/errors';
import { fireEvent, screen } from '@testing-library/react';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { ann, answers, fill, press, rejected, showPage, title } from './testing/show-page.tsx';

const known = { isNewUser: false };

afterEach(() => vi.unstubAllGlobals());

async function byPassword(button: string, email = 'ann@example.com', password = 'right horse'): Promise<void> {
  fireEvent.click(await screen.findByRole('tab', { name: 'Password' }));
  fill('E-mail', email);
  fill('Password', password);
  await press(button);
}

describe('signing in by password', () => {
  test('leads to where the person wanted to go', async () => {
    const signInWithPassword = answers(known);
    const { went } = showPage({ path: 'sign-in?after_auth_return_to=/deep%3Fa', auth: { signInWithPassword } });
    await byPassword('Sign in', ' ann@example.com ', ' right horse ');
    await vi.waitFor(() => expect(went).toEqual(['instead /deep?a']));
    expect(signInWithPassword).toHaveBeenCalledWith({ email: 'ann@example.com', password: ' right horse ' });
    expect(document.title).toBe('Sign in · Acme Shop');
  });

  test('says at the address that the two do not fit', async () => {
    const { went } = showPage({ path: 'sign-in', auth: { signInWithPassword: rejected('EMAIL_PASSWORD_MISMATCH') } });
    await byPassword('Sign in');
    expect((await screen.findByRole('alert')).textContent).toContain('is wrong');
    expect(screen.getByLabelText('E-mail').getAttribute('aria-invalid')).toBe('true');
    expect(went).toEqual([]);
  });

  test('says what is missing before anything is sent', async () => {
    showPage({ path: 'sign-in' });
    await byPassword('Sign in', 'ann', '');
    expect((await screen.findAllByRole('alert')).map(({ textContent }) => textContent)).toEqual([
      expect.stringContaining('whole e-mail address'),
      'Enter your password',
    ]);
    expect(document.activeElement).toBe(screen.getByLabelText('E-mail'));
  });

  test('says that the server is busy instead of waiting with the person', async () => {
    const signInWithPassword = async () => {
      throw new AnswerError('u', 429, '');
    };
    showPage({ path: 'sign-in', auth: { signInWithPassword } });
    await byPassword('Sign in');
    expect((await screen.findByRole('alert')).textContent).toContain('Wait a moment');
  });

  test('does not follow a way back that leads off the site', async () => {
    const path = `sign-in?after_auth_return_to=${encodeURIComponent('https://evil.example')}`;
    const { went } = showPage({ path, auth: { signInWithPassword: answers(known) } });
    await byPassword('Sign in');
    await screen.findByText(/was not followed/);
    expect(went).toEqual([]);
  });
});

describe('signing in by e-mail code', () => {
  const sendSignInCode = () => answers({ nonce: 'nonce' });

  async function askForCode(): Promise<void> {
    await title('Sign in');
    fill('E-mail', 'ann@example.com');
    await press('Mail me a code');
    await title('Check your mail');
  }

  test('sends the six characters by itself, with the nonce that never was in the mail', async () => {
    const send = sendSignInCode();
    const signInWithCode = answers({ isNewUser: true });
    const { went } = showPage({
      path: 'sign-in',
      auth: { sendSignInCode: send, signInWithCode },
      urls: { afterSignUp: '/welcome' },
    });
    await askForCode();
    expect(send).toHaveBeenCalledWith({
      email: 'ann@example.com',
      callbackUrl: `${location.origin}/handler/magic-link-callback`,
    });
    fill('Code from the mail', '7k3-a');
    expect(signInWithCode).not.toHaveBeenCalled();
    fill('Code from the mail', ' 7k3-abc ');
    await vi.waitFor(() => expect(went).toEqual(['instead /welcome']));
    expect(signInWithCode).toHaveBeenCalledExactlyOnceWith('7K3ABCnonce');
  });

  test.each([
    ['VERIFICATION_CODE_NOT_FOUND', 'not the code'],
    ['VERIFICATION_CODE_EXPIRED', 'has expired'],
    ['VERIFICATION_CODE_ALREADY_USED', 'used already'],
    ['VERIFICATION_CODE_MAX_ATTEMPTS_REACHED', 'Too many tries'],
  ] as const)('empties the field after %s', async (code, words) => {
    showPage({ path: 'sign-in', auth: { sendSignInCode: sendSignInCode(), signInWithCode: rejected(code) } });
    await askForCode();
    fill('Code from the mail', '7k3abc');
    expect((await screen.findByRole('alert')).textContent).toContain(words);
    expect((screen.getByLabelText('Code from the mail') as HTMLInputElement).value).toBe('');
  });

  test('can be begun again with another address, which stays typed', async () => {
    showPage({ path: 'sign-in', auth: { sendSignInCode: sendSignInCode() } });
    await askForCode();
    await press('Use another address');
    await title('Sign in');
    expect((screen.getByLabelText('E-mail') as HTMLInputElement).value).toBe('ann@example.com');
  });

  test('says at the address that nobody has it and sign-up is closed', async () => {
    showPage({ path: 'sign-in', auth: { sendSignInCode: rejected('SIGN_UP_NOT_ENABLED') } });
    await title('Sign in');
    fill('E-mail', 'ann@example.com');
    await press('Mail me a code');
    expect((await screen.findByRole('alert')).textContent).toContain('sign-up is closed');
  });
});

describe('the second factor', () => {
  const asks = rejected('MULTI_FACTOR_AUTHENTICATION_REQUIRED', { attempt_code: 'attempt' });

  test('is a step of the page, and can be tried again', async () => {
    let isRight = false;
    const signInWithSecondFactor = vi.fn(async () => {
      if (!isRight) throw new KnownError('INVALID_TOTP_CODE', 400, 'x');
      return known;
    });
    const { went } = showPage({ path: 'sign-in', auth: { signInWithPassword: asks, signInWithSecondFactor } });
    await byPassword('Sign in');
    await title('One more step');
    fill('Code from your authenticator app', '12a34 56');
    expect((await screen.findByRole('alert')).textContent).toContain('is not right');
    isRight = true;
    fill('Code from your authenticator app', '654321');
    await vi.waitFor(() => expect(went).toEqual(['instead /']));
    expect(signInWithSecondFactor.mock.calls).toEqual([
      [{ attemptCode: 'attempt', totp: '123456' }],
      [{ attemptCode: 'attempt', totp: '654321' }],
    ]);
  });

  test('is over after five minutes or too many tries: back to the start', async () => {
    const signInWithSecondFactor = rejected('VERIFICATION_CODE_EXPIRED');
    showPage({ path: 'sign-in', auth: { signInWithPassword: asks, signInWithSecondFactor } });
    await byPassword('Sign in');
    await title('One more step');
    fill('Code from your authenticator app', '123456');
    expect((await screen.findByRole('alert')).textContent).toContain('Start over');
    await press('Start over');
    await title('Sign in');
  });
});

describe('what is offered', () => {
  test('the passkey, where the project and the browser have it', async () => {
    const signInWithPasskey = answers(known);
    vi.stubGlobal('PublicKeyCredential', () => {});
    const { went } = showPage({ path: 'sign-in', config: { passkeyEnabled: true }, auth: { signInWithPasskey } });
    await press('Sign in with a passkey');
    await vi.waitFor(() => expect(went).toEqual(['instead /']));
  });

  test('a cancelled passkey is said in words', async () => {
    vi.stubGlobal('PublicKeyCredential', () => {});
    const signInWithPasskey = rejected('PASSKEY_WEBAUTHN_ERROR', { code: 'NotAllowedError' });
    showPage({ path: 'sign-in', config: { passkeyEnabled: true }, auth: { signInWithPasskey } });
    await press('Sign in with a passkey');
    expect((await screen.findByRole('alert')).textContent).toContain('cancelled');
  });

  test('no passkey elsewhere, and no tabs for one way alone', async () => {
    showPage({ path: 'sign-in', config: { passkeyEnabled: true, credentialEnabled: false, signUpEnabled: false } });
    await screen.findByRole('button', { name: 'Mail me a code' });
    expect(screen.queryByRole('tab')).toBeNull();
    expect(screen.queryByRole('button', { name: 'Sign in with a passkey' })).toBeNull();
    expect(screen.queryByRole('link', { name: 'Sign up' })).toBeNull();
  });

  test('nothing at all is said', async () => {
    showPage({ path: 'sign-in', config: { credentialEnabled: false, magicLinkEnabled: false } });
    await screen.findByText(/No sign-in method/);
  });

  test('tabs in the order of the app, moved with the arrows', async () => {
    showPage({ path: 'sign-in', props: { firstTab: 'password', extraInfo: 'By signing in you agree.' } });
    const names = (await screen.findAllByRole('tab')).map(({ textContent }) => textContent);
    expect(names).toEqual(['Password', 'E-mail code']);
    screen.getByText('By signing in you agree.');
    fireEvent.keyDown(screen.getByRole('tablist'), { key: 'ArrowRight' });
    expect(screen.getByRole('tab', { name: 'E-mail code' }).getAttribute('aria-selected')).toBe('true');
    expect(document.activeElement?.textContent).toBe('E-mail code');
    fireEvent.keyDown(screen.getByRole('tablist'), { key: 'ArrowRight' });
    expect(screen.getByRole('tab', { name: 'Password' }).getAttribute('aria-selected')).toBe('true');
  });
});

describe('signing up', () => {
  test('asks for the password twice and leads on', async () => {
    const signUpWithPassword = answers({ isNewUser: true });
    const { went } = showPage({ path: 'sign-up?after_auth_return_to=/deep', auth: { signUpWithPassword } });
    await byPassword('Sign up');
    expect((await screen.findByRole('alert')).textContent).toContain('differ');
    fill('Repeat the password', 'right horse');
    await press('Sign up');
    await vi.waitFor(() => expect(went).toEqual(['instead /deep']));
    expect(signUpWithPassword).toHaveBeenCalledExactlyOnceWith({
      email: 'ann@example.com',
      password: 'right horse',
      verificationCallbackUrl: `${location.origin}/handler/email-verification?after_auth_return_to=%2Fdeep`,
    });
  });

  test('says at their fields what the server rejects', async () => {
    const props = { noPasswordRepeat: true };
    const auth = { signUpWithPassword: rejected('USER_EMAIL_ALREADY_EXISTS') };
    showPage({ path: 'sign-up', auth, props });
    await byPassword('Sign up');
    expect((await screen.findByRole('alert')).textContent).toContain('already');
  });

  test('is closed where the project says so', async () => {
    showPage({ path: 'sign-up', config: { signUpEnabled: false } });
    await title('Sign-up is closed');
    expect(screen.getByRole('link', { name: 'Sign in' }).getAttribute('href')).toBe('/handler/sign-in');
  });
});

describe('somebody who is signed in already', () => {
  test('is led on', async () => {
    const { went } = showPage({ path: 'sign-in?after_auth_return_to=/deep', user: ann });
    await vi.waitFor(() => expect(went).toEqual(['instead /deep']));
  });

  test('is led nowhere off the site', async () => {
    const { went } = showPage({ path: 'sign-in?after_auth_return_to=//evil.example', user: ann });
    await screen.findByText(/was not followed/);
    expect(went).toEqual([]);
  });
});
